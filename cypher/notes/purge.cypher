// Destroys notes for good: text, vectors, revisions, the relations they backed, the events about them, the questions that found them, and names and topics that only they used. Their locks come first, so that nothing comes to them meanwhile.
UNWIND $ids AS id
MATCH (n:Note {id: id})
SET n.touched = true
REMOVE n.touched
WITH n
@unknown(n)
CALL (n) {
  MATCH (n)-[:HAD]->(r:Revision)
  DETACH DELETE r
}
CALL (n) {
  MATCH (n)-[:HAS_PASSAGE]->(p:Passage)
  DETACH DELETE p
}
CALL (n) {
  MATCH (r:Recall)-[:RETURNED|CONSULTED]->(n)
  SET r.query = null
  REMOVE r.embedding, r.embedding2, r.asker
}
CALL (n) {
  MATCH (n)-[:TOLD_AS]->(w:Wording)
  DETACH DELETE w
}
CALL (n) {
  MATCH (kept:Note)-[:DERIVED_FROM]->(n)
  MATCH (kept)-[:TOLD_AS]->(w:Wording {noteId: n.id})
  DETACH DELETE w
}
CALL (n) {
  MATCH (c:Conflict)-[:BETWEEN]->(n)
  DETACH DELETE c
}
CALL (n) {
  MATCH (promoted:Note)-[:PROMOTED_FROM]->(n)
  @unknown(promoted)
}
CALL (n) {
  MATCH (k:Note)-[:PROMOTED_FROM]->(n)
  OPTIONAL MATCH (k)-[:HAD|HAS_PASSAGE]->(r:Revision|Passage)
  OPTIONAL MATCH (p:Proposal)-[:RENEWS]->(k)
  DETACH DELETE k, r, p
}
CALL (n) {
  MATCH (p:Proposal)-[:BECAME|ABOUT|RENEWS]->(n)
  DETACH DELETE p
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
  MATCH (n)-[:MENTIONS]->(:Entity)-[r:ALSO_CALLED {noteId: n.id}]->(:Entity)
  WITH DISTINCT r
  DELETE r
}
CALL (n) {
  MATCH (n)-[m:MENTIONS]->(e:Entity)
  DELETE m
  WITH DISTINCT e
  CALL (e) {
    OPTIONAL MATCH (:Note)-[other:MENTIONS]->(e)
    RETURN other ORDER BY other.given DESC, other.of IS NOT NULL, other.at, other.name LIMIT 1
  }
  CALL (e, other) {
    WITH e, other WHERE other IS NOT NULL
    SET e.name = other.name, e.type = other.type
  }
  CALL (e, other) {
    WITH e, other WHERE other IS NULL
    DETACH DELETE e
  }
}
CALL (n) {
  MATCH (n)-[:ABOUT]->(t:Topic)
  WHERE NOT EXISTS { (t)<-[:ABOUT]-(other:Note) WHERE NOT other.id IN $ids }
  DETACH DELETE t
}
CALL (n) {
  MATCH (before:Note)-[:NEXT]->(n)-[:NEXT]->(after:Note)
  MERGE (before)-[:NEXT]->(after)
}
CALL (n) {
  MATCH (n)-[:IN_EPISODE]->(e:Episode)
  WHERE NOT EXISTS { (e)<-[:IN_EPISODE]-(other:Note) WHERE NOT other.id IN $ids }
  DETACH DELETE e
}
DETACH DELETE n
