// Changes a note, if it still has the version that the change was made from. The note's own lock comes first.
MATCH (n:Note {id: $id})
SET n.touched = $now
REMOVE n.touched
WITH n
WHERE n.version = $version
SET n += $given, n.version = n.version + 1, n.updatedAt = $now, n.curatedKey = null
CREATE (n)-[:HAD]->(:Revision {version: n.version, at: $now, actor: $actor, content: n.content, changes: $changes})
WITH n
CALL (n) {
  WITH n WHERE $embedding IS NOT NULL
  CALL db.create.setNodeVectorProperty(n, 'embedding', $embedding)
}
RETURN n.version AS version
