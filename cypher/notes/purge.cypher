// Destroys notes for good: text, vector, revisions, the relations they backed, the events about them, entities nothing names any more.
UNWIND $ids AS id
MATCH (n:Note {id: id})
CALL (n) {
  MATCH (n)-[:HAD]->(r:Revision)
  DETACH DELETE r
}
CALL (n) {
  MATCH ()-[r:RELATES_TO {noteId: n.id}]->()
  DELETE r
}
CALL (n) {
  MATCH (e:Event {subjectId: n.id})
  DETACH DELETE e
}
CALL (n) {
  MATCH (n)-[m:MENTIONS]->(e:Entity)
  DELETE m
  WITH e
  WHERE NOT EXISTS { (e)<-[:MENTIONS]-(:Note) }
  OPTIONAL MATCH (name:EntityName)-[:NAMES]->(e)
  DETACH DELETE name, e
}
CALL (n) {
  MATCH (before:Note)-[:NEXT]->(n)-[:NEXT]->(after:Note)
  MERGE (before)-[:NEXT]->(after)
}
CALL (n) {
  MATCH (n)-[:IN_EPISODE]->(e:Episode)
  WHERE NOT EXISTS { (e)<-[:IN_EPISODE]-(other:Note) WHERE other <> n }
  DETACH DELETE e
}
DETACH DELETE n
