// Counts the entities that some notes had introduced by an instant, and the links between these notes that were made by then; the notes are those that the viewer could read then.
// coalesce keeps the planner from an index: in a small graph it would read all notes of $ids first and follow links then.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.audience IN $audiences
WITH collect(n) AS notes
CALL (notes) {
  UNWIND notes AS n
  MATCH (n)-[m:MENTIONS {given: true}]->(e:Entity)
  WHERE m.at <= $at
  WITH DISTINCT e.id AS id, (EXISTS { (e)-[:ALSO_CALLED|ABSORBED]-() } OR EXISTS { MATCH (o:Entity {user: e.user, loose: e.loose}) USING INDEX SEEK o:Entity(user, loose) WHERE o <> e }) AS tied ORDER BY id
  WITH count(*) AS entities, collect(CASE WHEN tied THEN id END)[..$most] AS tied
  RETURN entities - size(tied) AS entities, tied
}
CALL (notes) {
  UNWIND notes AS n
  MATCH (n)-[r:LINKS_TO]->(m:Note)
  WHERE r.at <= $at AND coalesce(m.id, '') IN $ids
  RETURN count(*) AS links
}
RETURN entities, tied, links
