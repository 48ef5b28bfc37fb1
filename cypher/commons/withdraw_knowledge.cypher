// Destroys what a team knows, or a skill of it, with its revisions, the proposals of it, and the events about it.
MATCH (n:Note {id: $id})
WHERE (n:Knowledge OR n:Skill) AND n.audience IN $audiences
@unknown(n)
CALL (n) {
  MATCH (n)-[:HAD|HAS_PASSAGE]->(r:Revision|Passage)
  DETACH DELETE r
}
CALL (n) {
  MATCH (p:Proposal)-[:BECAME|RENEWS]->(n)
  DETACH DELETE p
}
CALL (n) {
  MATCH (e:Event {subjectId: n.id})
  DETACH DELETE e
}
WITH n, n.id AS id
DETACH DELETE n
RETURN id
