// Changes a note of a team; a row comes only if it still has the version that was decided upon. Its own lock comes first.
MATCH (n:Note {id: $id})
SET n.touched = $now
REMOVE n.touched
WITH n
WHERE n.version = $version AND n.audience IN $audiences
SET n += $given, n.version = n.version + 1, n.updatedAt = $now
CREATE (n)-[:HAD]->(:Revision {version: n.version, at: $now, actor: $actor, content: n.content, changes: $changes})
WITH n
CALL (n) {
  WITH n WHERE $embedding IS NOT NULL
  CALL db.create.setNodeVectorProperty(n, 'embedding', $embedding)
}
RETURN n.id AS id
