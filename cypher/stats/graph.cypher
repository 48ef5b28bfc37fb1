// Counts the entities that readable notes mention, and the links between readable notes.
UNWIND $audiences AS audience
MATCH (n:Note {audience: audience})
USING INDEX SEEK n:Note(audience, createdAt)
WHERE n.createdAt IS NOT NULL AND n.expiresAt > $now
WITH collect(n) AS notes
CALL (notes) {
  UNWIND notes AS n
  MATCH (n)-[:MENTIONS]->(e:Entity)
  WITH DISTINCT e
  WHERE EXISTS { (g:Note)-[:MENTIONS {given: true}]->(e) WHERE @readable(g) AND g.status IN $statuses }
  WITH e.id AS id, (EXISTS { (e)-[:ALSO_CALLED|ABSORBED]-() } OR EXISTS { MATCH (o:Entity {user: e.user, loose: e.loose}) USING INDEX SEEK o:Entity(user, loose) WHERE o <> e }) AS tied ORDER BY id
  WITH count(*) AS entities, collect(CASE WHEN tied THEN id END)[..$most] AS tied
  RETURN entities - size(tied) AS entities, tied
}
CALL (notes) {
  UNWIND notes AS n
  MATCH (n)-[:LINKS_TO]->(m:Note)
  WHERE @readable(m)
  RETURN count(*) AS links
}
RETURN entities, tied, links
