// Takes away the notes that a reflection made; one that was changed, has grown into the graph or lost a source since is archived instead. Each note's own lock comes first.
MATCH (f:Reflection {id: $id})-[:HAS_ITEM]->(:ReflectionItem)-[m:MADE]->(n:Note)
USING INDEX SEEK f:Reflection(id)
WITH n, m ORDER BY n.id
SET n.touched = $now
REMOVE n.touched
WITH n, n.version = m.version AND COUNT { (n)-[:DERIVED_FROM]->() } = m.sources AND NOT EXISTS { (n)-[:LINKS_TO|TOLD_AS|SUPERSEDES]-() } AND NOT EXISTS { (n)<-[:DERIVED_FROM|BETWEEN|ABOUT|PROMOTED_FROM]-() } AS untouched
CALL (n, untouched) {
  WITH n, untouched WHERE untouched
  MATCH ()-[r:RELATES_TO {noteId: n.id}]->()
  DELETE r
}
CALL (n, untouched) {
  WITH n, untouched WHERE untouched
  MATCH (n)-[:HAD]->(v:Revision)
  DETACH DELETE v
}
CALL (n, untouched) {
  WITH n, untouched WHERE NOT untouched AND n.status IN $statuses
  SET n.status = 'ARCHIVED', n.version = n.version + 1, n.updatedAt = $now, n.curatedKey = null
  REMOVE n:Current
  CREATE (n)-[:HAD]->(:Revision {version: n.version, at: $now, actor: $actor, content: n.content, changes: $changes})
  WITH n
  MATCH ()-[r:RELATES_TO {noteId: n.id}]->()
  SET r.status = n.status
}
WITH n, untouched
FOREACH (gone IN CASE WHEN untouched THEN [n] ELSE [] END | DETACH DELETE gone)
RETURN count(*) AS unmade
