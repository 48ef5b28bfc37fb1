// Keeps that entities are not one, for who may read notes that introduced both before, as if a merge had been undone; $audiences as in `resolution/merge`. What rules held of them, where the viewer may know of it, goes.
UNWIND $rows AS row
MATCH (e:Entity {id: row.whole})
WHERE e.user = $user
MATCH (part:Entity {id: row.part})
WHERE part.user = $user
FOREACH (x IN CASE WHEN e.id < part.id THEN [e, part] ELSE [part, e] END | SET x.touched = $now REMOVE x.touched) // locked: a verdict from before is seen here, and whoever judges later sees this
CREATE (e)-[past:HAD_ABSORBED {id: row.id, user: $user, at: $now, by: row.by, score: row.score, undoneAt: $now, undoneBy: $actor}]->(part)
SET past.audiences = CASE WHEN $audiences IS NOT NULL THEN COLLECT {
  MATCH (n:Note)-[:MENTIONS {given: true}]->(x)
  WHERE (x = e OR x = part) AND n.audience IN $audiences
  RETURN DISTINCT n.audience AS audience ORDER BY audience LIMIT 20000
} END
WITH e, part
CALL (e, part) {
  MATCH (e)-[s:SAME_AS]-(part)
  WHERE CASE WHEN $audiences IS NULL THEN true ELSE s.audience IN $audiences END
  DELETE s
}
WITH count(*) AS refused
WHERE refused = size($rows)
RETURN refused
