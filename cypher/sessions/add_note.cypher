// Puts a note into the local memory of an open session, with what its writer gave; no row comes when the session is closed or full.
MATCH (s:Session {id: $id, user: $user, agent: $agent})
SET s.touched = $now
REMOVE s.touched
WITH s
WHERE s.closedAt IS NULL AND s.closing IS NULL AND COUNT { (s)-[:HOLDS]->() } < $most
MATCH (n:Note {id: $note})
CREATE (s)-[:HOLDS {draft: $draft}]->(n)
RETURN s.id AS id
