// Creates notes with audience, author, first revision and vector; in $usual what most of them have.
UNWIND $rows AS row
MERGE (a:Audience {key: row.audience.key})
  ON CREATE SET a = row.audience
CREATE (n:Note)
SET n = $usual, n += row.properties
FOREACH (current IN CASE WHEN n.status = 'ACTIVE' AND n.tier <> 'LONG_TERM' AND n.validFrom <= datetime('0001-01-02T00:00:00Z') AND n.validTo >= datetime('9999-12-30T00:00:00Z') AND n.expiresAt >= datetime('9999-12-30T00:00:00Z') THEN [n] ELSE [] END | SET current:Current)
CREATE (n)-[:FOR]->(a)
WITH n, a, row
CALL (n, row) {
  UNWIND coalesce(row.revisions, [{version: 1, content: n.content, changes: '{}'}]) AS revision
  CREATE (n)-[:HAD]->(:Revision {version: revision.version, at: $now, actor: $actor, content: revision.content, changes: revision.changes})
}
CALL db.create.setNodeVectorProperty(n, 'embedding', row.embedding)
CALL (n, a) {
  MATCH (agent:Agent {user: $user, id: $agent})
  CREATE (agent)-[:WROTE]->(n)
  MERGE (agent)-[:WRITES_FOR]->(a)
}
CALL (n, a) {
  WITH n, a WHERE $agent IS NULL
  MATCH (user:User {id: $user})
  CREATE (user)-[:WROTE]->(n)
  MERGE (user)-[:WRITES_FOR]->(a)
}
RETURN count(*) AS created
