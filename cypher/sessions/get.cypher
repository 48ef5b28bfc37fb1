// Reads a session of an agent: the given one, or the one that is open.
MATCH (:Agent {user: $user, id: $agent})-[:HAS_SESSION]->(s:Session)
WHERE s.id = $id OR ($id IS NULL AND s.closedAt IS NULL)
RETURN s {.id, .task, .openedAt, .closedAt, .closing, .dropped} AS session, COUNT { (s)-[:HOLDS]->() } AS local
LIMIT 1
