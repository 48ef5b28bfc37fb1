// Keeps a proposal that a team is to know what a note says; a row comes only while the note is as it was read, and neither an open proposal nor knowledge of it is there. Its own lock comes first.
MATCH (n:Note {id: $note})
SET n.touched = $now
REMOVE n.touched
WITH n
WHERE n.version = $version AND n.audience = $audience
  AND NOT EXISTS { (p:Proposal {team: $team})-[:ABOUT]->(n) WHERE p.status IN $open AND p.expiresAt > $now }
  AND NOT EXISTS { (k:Knowledge {user: $owner})-[:PROMOTED_FROM]->(n) }
MERGE (a:Audience {key: $readers.key})
  ON CREATE SET a = $readers
CREATE (p:Proposal)
SET p = $properties
CREATE (p)-[:ABOUT]->(n)
RETURN p.id AS id
