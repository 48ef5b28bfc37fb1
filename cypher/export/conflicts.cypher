// Reads the conflicts between notes of a user, from a place on (keyset).
MATCH (c:Conflict {user: $user})
WHERE c.pair > $after
WITH c ORDER BY c.pair LIMIT $limit
RETURN c.pair AS place, c {.*, notes: COLLECT {
  MATCH (c)-[:BETWEEN]->(n:Note) WHERE n.user = $user AND n.expiresAt > $now RETURN n.id ORDER BY n.id LIMIT 2
}} AS row
