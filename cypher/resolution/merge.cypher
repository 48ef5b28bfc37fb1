// Makes two entities one, for who may read notes that introduced both before; $audiences: those of the maker that introduce them, null for the user in person, who reads all.
MATCH (e:Entity {id: $keep})
WHERE e.user = $user
MATCH (part:Entity {id: $merge})
WHERE part.user = $user
CREATE (e)-[r:ABSORBED {id: $id, user: $user, at: $now, by: $actor, score: $score}]->(part)
SET r.audiences = CASE WHEN $audiences IS NOT NULL THEN COLLECT {
  MATCH (n:Note)-[:MENTIONS {given: true}]->(x)
  WHERE (x = e OR x = part) AND n.audience IN $audiences
  RETURN DISTINCT n.audience AS audience ORDER BY audience LIMIT 20000
} END
WITH e, part, r
CALL (e, part) {
  MATCH (e)-[s:SAME_AS]-(part)
  WHERE CASE WHEN $audiences IS NULL THEN true ELSE s.audience IN $audiences END
  DELETE s
}
RETURN r.id AS id
