// Makes what hangs on the audience of notes follow it: the registered audience, the relations they back, the events about them.
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
MERGE (a:Audience {key: row.audience.key})
  ON CREATE SET a = row.audience
SET n.audience = row.audience.key, n.audienceToken = row.audienceToken
WITH n, a
OPTIONAL MATCH (n)-[old:FOR]->(:Audience)
DELETE old
WITH DISTINCT n, a
CREATE (n)-[:FOR]->(a)
WITH n
CALL (n) {
  MATCH ()-[r:RELATES_TO {noteId: n.id}]->()
  SET r.audience = n.audience
}
CALL (n) {
  MATCH (e:Event {subjectId: n.id})
  SET e.audience = n.audience
}
