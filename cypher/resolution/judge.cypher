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
MERGE (e)-[s:SAME_AS {audience: $audience}]->(part)
  ON CREATE SET s.id = row.id, s.by = $actor, s.at = $now
SET s.score = row.score
RETURN count(s) AS verdicts
