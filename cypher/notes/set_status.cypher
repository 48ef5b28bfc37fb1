// Archives notes or brings them back, with the relations they back.
UNWIND $ids AS id
MATCH (n:Note {id: id})
SET n.status = $status, n.version = n.version + 1, n.updatedAt = $now, n.curatedKey = null
CREATE (n)-[:HAD]->(:Revision {version: n.version, at: $now, actor: $actor, content: n.content, changes: $changes})
WITH n
CALL (n) {
  MATCH ()-[r:RELATES_TO {noteId: n.id}]->()
  SET r.status = $status
}
RETURN n.id AS id, n.version AS version
