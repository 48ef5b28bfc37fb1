// Moves notes to other audiences, with the relations they back and the events about them.
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
MERGE (a:Audience {key: row.audience.key})
  ON CREATE SET a = row.audience
SET n.visibility = row.audience.visibility, n.domain = row.audience.domain, n.audience = row.audience.key,
    n.audienceToken = row.audienceToken, n.curatedKey = null, n.version = n.version + 1, n.updatedAt = $now
WITH n, a, row
OPTIONAL MATCH (n)-[old:FOR]->(:Audience)
DELETE old
WITH DISTINCT n, a, row
CREATE (n)-[:FOR]->(a)
CREATE (n)-[:HAD]->(:Revision {version: n.version, at: $now, actor: $actor, content: n.content, changes: row.changes})
WITH n, row
CALL (n, row) {
  MATCH ()-[r:RELATES_TO {noteId: n.id}]->()
  SET r.audience = row.audience.key
}
CALL (n, row) {
  MATCH (e:Event {subjectId: n.id})
  SET e.audience = row.audience.key
}
RETURN n.id AS id, n.version AS version
