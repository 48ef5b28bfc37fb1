// Reads the reflections of a user with their items, from a place on (keyset).
MATCH (r:Reflection {user: $user})
USING INDEX SEEK r:Reflection(user)
WHERE r.id > $after
WITH r ORDER BY r.id LIMIT $limit
RETURN r.id AS place, r {.*, items: COLLECT {
  MATCH (r)-[h:HAS_ITEM]->(i:ReflectionItem)
  WITH h, i ORDER BY h.place LIMIT 1000
  RETURN i {.*, place: h.place,
    about: COLLECT { MATCH (i)-[a:ABOUT]->(n:Note) WHERE n.user = $user AND n.expiresAt > $now WITH a, n ORDER BY a.place, n.id LIMIT 1000 RETURN a {.*, note: n.id} },
    made: COLLECT { MATCH (i)-[:MADE]->(n:Note) WHERE n.user = $user AND n.expiresAt > $now WITH n ORDER BY n.id LIMIT 1000 RETURN n.id },
    changed: COLLECT { MATCH (i)-[:CHANGED]->(n:Note) WHERE n.user = $user AND n.expiresAt > $now WITH n ORDER BY n.id LIMIT 1000 RETURN n.id }}
}} AS row
