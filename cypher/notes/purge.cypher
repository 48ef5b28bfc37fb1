// Destroys notes for good: text, vector, revisions, the relations they backed, the events about them, and names that only they used.
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
  WITH DISTINCT e
  CALL (e) {
    OPTIONAL MATCH (:Note)-[m:MENTIONS]->(e)
    WITH m ORDER BY m.given DESC
    RETURN collect(m) AS others
  }
  CALL (e, others) {
    MATCH (name:EntityName)-[:NAMES]->(e)
    WHERE NOT any(m IN others WHERE name.key IN m.keys)
    DETACH DELETE name
  }
  CALL (e, others) {
    WITH e, others WHERE others <> []
    SET e.name = others[0].name, e.type = others[0].type,
        e.key = CASE WHEN any(m IN others WHERE e.key IN m.keys) THEN e.key ELSE others[0].keys[0] END
  }
  CALL (e, others) {
    WITH e, others WHERE others = []
    DETACH DELETE e
  }
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
