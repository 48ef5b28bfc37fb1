// Keeps which entities rules hold to be one by what the readers of an audience may read, each since when they first did; takes away what they hold no longer.
CALL () {
  MATCH (e:Entity)-[s:SAME_AS]->(part:Entity)
  USING INDEX SEEK s:SAME_AS(audience)
  WHERE s.audience = $audience AND NOT [e.id, part.id] IN [row IN $rows | [row.whole, row.part]]
  DELETE s
}
UNWIND $rows AS row
MATCH (e:Entity {id: row.whole})
WHERE e.user = $user
MATCH (part:Entity {id: row.part})
WHERE part.user = $user
FOREACH (x IN CASE WHEN e.id < part.id THEN [e, part] ELSE [part, e] END | SET x.touched = $now REMOVE x.touched) // locked: what was refused since the rows were made is seen
WITH e, part, row, $audience AS audience
WHERE NOT @refused(e, part, audience)
MERGE (e)-[s:SAME_AS {audience: audience}]->(part)
  ON CREATE SET s.id = row.id, s.by = $actor, s.at = $now
SET s.score = row.score
RETURN count(s) AS verdicts
