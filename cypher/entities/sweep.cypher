// Takes away what was marked of a note and not said again, and entities that nothing mentions any more.
MATCH (n:Note {id: $id})
CALL (n) {
  MATCH ()-[r:RELATES_TO {noteId: n.id}]->()
  WHERE r.old
  DELETE r
}
CALL (n) {
  MATCH (n)-[:MENTIONS]->(:Entity)-[r:ALSO_CALLED {noteId: n.id}]->()
  WHERE r.old
  WITH DISTINCT r
  DELETE r
}
MATCH (n)-[m:MENTIONS]->(e:Entity)
WHERE m.old
DELETE m
WITH DISTINCT e
WHERE NOT EXISTS { (e)<-[:MENTIONS]-(:Note) }
DETACH DELETE e
