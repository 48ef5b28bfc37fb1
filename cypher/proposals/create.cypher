// Keeps a new proposal with what it contradicts, and takes away some that have waited too long; a row comes only while those that it was compared with are all there are for the same readers, and its agent has made fewer than $most.
MATCH (u:User {id: $user})
SET u.touched = $now
REMOVE u.touched
WITH u
CALL (u) {
  MATCH (old:Proposal {user: u.id})
  WHERE old.expiresAt <= $now
  WITH old LIMIT 100
  DETACH DELETE old
}
WITH u
WHERE COUNT { (p:Proposal {user: $user, author: $agent}) WHERE p.expiresAt > $now } < $most
  AND COUNT {
    (p:Proposal {audience: $audience.key, kind: 'WRITE'}) WHERE p.status IN $open AND p.expiresAt > $now
  } = $known
MERGE (a:Audience {key: $audience.key})
  ON CREATE SET a:System, a = $audience
CREATE (p:Proposal)
SET p = $properties
WITH p, a
CALL db.create.setNodeVectorProperty(p, 'embedding', $vector)
CALL (p, a) {
  MATCH (agent:Agent {user: $user, id: $agent})
  CREATE (agent)-[:PROPOSED]->(p)
  MERGE (agent)-[:WRITES_FOR]->(a)
}
CALL (p) {
  UNWIND $contradicts AS id
  MATCH (other:Proposal {id: id})
  CREATE (p)-[:CONTRADICTS]->(other)
}
RETURN p.id AS id
