// Reads the sessions of a user's agents with what came of them, from a place on (keyset).
MATCH (a:Agent {user: $user})-[:HAS_SESSION]->(s:Session)
WHERE s.id > $after
WITH s ORDER BY s.id LIMIT $limit
RETURN s.id AS place, s {.*, promoted: COLLECT {
  MATCH (s)-[p:PROMOTED]->(n:Note) WHERE n.user = $user AND n.expiresAt > $now
  WITH p, n ORDER BY n.id LIMIT 2000
  RETURN p {.*, note: n.id}
}} AS row
