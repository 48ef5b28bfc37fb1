// Sets the topics of notes that have not changed since they were read. Each note's own lock comes first.
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
SET n.touched = true
REMOVE n.touched
WITH n, row
WHERE n.version = row.version AND n.audience = row.audience
SET n.topicsOf = n.version
WITH n, row
CALL (n) {
  MATCH (n)-[a:ABOUT]->(:Topic)
  DELETE a
}
CALL (n, row) {
  UNWIND row.topics AS topic
  MERGE (t:Topic {key: topic})
  CREATE (n)-[:ABOUT {topic: topic, audience: n.audience, version: n.version, at: n.createdAt}]->(t)
}
RETURN count(*) AS indexed
