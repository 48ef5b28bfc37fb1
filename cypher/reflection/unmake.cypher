// Takes away the notes that a reflection made and that are as it left them; a row comes only if these are the ones in $ids. Each note's own lock comes first.
OPTIONAL MATCH (f:Reflection {id: $id})-[:HAS_ITEM]->(:ReflectionItem)-[m:MADE]->(n:Note)
USING INDEX SEEK f:Reflection(id)
WITH n, m ORDER BY n.id
SET n.touched = $now
REMOVE n.touched
WITH n, m
WHERE n.version = m.version AND COUNT { (n)-[:DERIVED_FROM]->() } = m.sources AND NOT EXISTS { (n)-[:LINKS_TO|TOLD_AS|SUPERSEDES]-() } AND NOT EXISTS { (n)<-[:DERIVED_FROM|BETWEEN|ABOUT|PROMOTED_FROM]-() }
WITH collect(n) AS gone
WHERE size(gone) = size($ids) AND all(n IN gone WHERE n.id IN $ids)
CALL (gone) {
  UNWIND gone AS n
  MATCH ()-[r:RELATES_TO {noteId: n.id}]->()
  DELETE r
}
CALL (gone) {
  UNWIND gone AS n
  MATCH (n)-[:HAD|HAS_PASSAGE]->(v:Revision|Passage)
  DETACH DELETE v
}
CALL (gone) {
  UNWIND gone AS n
  @unknown(n)
  DETACH DELETE n
}
RETURN size($ids) AS unmade
