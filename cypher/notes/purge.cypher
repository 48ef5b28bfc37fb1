// Destroys notes for good: text, vector, revisions, the relations they backed, the events about them, and names that only they used.
UNWIND $ids AS id
MATCH (n:Note {id: id})
CALL (n) {
  MATCH (n)-[:HAD]->(r:Revision)
  DETACH DELETE r
}
CALL (n) {
  MATCH (n)-[r:LINKS_TO]->(m:Note)
  WHERE r.gave IS NOT NULL
  SET m.tags = [tag IN m.tags WHERE tag <> r.gave], m.context = split(m.context, ' (related: ')[0]
  WITH m, r
  MATCH (m)-[:HAD]->(v:Revision)
  WHERE v.changes CONTAINS r.gave
  SET v.changes = '{}'
}
CALL (n) {
  MATCH (n)-[:TOLD_AS]->(w:Wording)
  DETACH DELETE w
}
CALL (n) {
  MATCH (c:Conflict)-[:BETWEEN]->(n)
  DETACH DELETE c
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
    WITH m ORDER BY m.home, m.given DESC
    RETURN collect(m) AS others
  }
  CALL (e, others) {
    MATCH (e)-[:ABSORBED]->{0,20}(:Entity)-[r:ABSORBED]->(part:Entity)
    WHERE NOT part.id IN [m IN others | m.home]
    SET part.name = null, part.type = null, r.undo = null
    WITH part WHERE others = [] OR NOT EXISTS { (part)-[:ABSORBED]->() }
    DETACH DELETE part
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
