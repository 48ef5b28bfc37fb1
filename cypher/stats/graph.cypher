// Counts the entities that readable notes mention, and the links between readable notes.
UNWIND $audiences AS audience
MATCH (n:Note {audience: audience})
USING INDEX SEEK n:Note(audience, createdAt)
WHERE n.createdAt IS NOT NULL AND n.expiresAt > $now
WITH collect(n) AS notes
CALL (notes) {
  UNWIND notes AS n
  MATCH (n)-[:MENTIONS]->(e:Entity)
  WHERE EXISTS { (g:Note)-[:MENTIONS {given: true}]->(e) WHERE g.audience IN $audiences AND g.expiresAt > $now AND g.status IN $statuses }
  RETURN count(DISTINCT e) AS entities
}
CALL (notes) {
  UNWIND notes AS n
  MATCH (n)-[:LINKS_TO]->(m:Note)
  WHERE m.audience IN $audiences AND m.expiresAt > $now
  RETURN count(*) AS links
}
RETURN entities, links
