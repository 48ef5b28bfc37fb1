// Archives notes as accepted items say, and keeps beside what they were.
UNWIND $rows AS row
MATCH (i:ReflectionItem {id: row.item})
MATCH (n:Note {id: row.note})
CREATE (i)-[:CHANGED {status: n.status, curatedKey: n.curatedKey, version: n.version + 1}]->(n)
SET n.status = 'ARCHIVED', n.version = n.version + 1, n.updatedAt = $now, n.curatedKey = null
REMOVE n:Current
CREATE (n)-[:HAD]->(:Revision {version: n.version, at: $now, actor: $actor, content: n.content, changes: row.changes})
WITH n
CALL (n) {
  MATCH ()-[r:RELATES_TO {noteId: n.id}]->()
  SET r.status = n.status
}
RETURN count(*) AS archived
