// Keeps a proposal of another version of what a team knows or of a skill of it, in place of the one by the same proposer that still waits; a row comes only while that has the version and the readers which the proposal was made of, and fewer than $most others wait. The lock comes first.
MATCH (n:Note {id: $note})
SET n.touched = $now
REMOVE n.touched
WITH n
WHERE n.version = $version AND n.audience = $audience
CALL (n) {
  MATCH (old:Proposal {kind: 'REVISION'})-[:RENEWS]->(n)
  WHERE old.expiresAt <= $now OR (old.user = $properties.user AND coalesce(old.author, '') = coalesce($properties.author, '') AND old.status IN $open)
  DETACH DELETE old
}
WITH n
WHERE COUNT { (p:Proposal)-[:RENEWS]->(n) WHERE p.status IN $open } < $most
CREATE (p:Proposal)
SET p = $properties
CREATE (p)-[:RENEWS]->(n)
RETURN p.id AS id
