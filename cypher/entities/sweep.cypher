// Takes away what was marked of a note and not said again, and entities that nothing mentions any more, with those they absorbed.
MATCH (n:Note {id: $id})
CALL (n) {
  MATCH ()-[r:RELATES_TO {noteId: n.id}]->()
  WHERE r.old
  DELETE r
}
MATCH (n)-[m:MENTIONS]->(e:Entity)
WHERE m.old
DELETE m
WITH DISTINCT e
WHERE NOT EXISTS { (e)<-[:MENTIONS]-(:Note) }
OPTIONAL MATCH (name:EntityName)-[:NAMES]->(e)
OPTIONAL MATCH (e)-[:ABSORBED]->{1,20}(part:Entity)
DETACH DELETE name, part, e
