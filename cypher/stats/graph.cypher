// Counts the entities that readable notes mention, and the links between readable notes.
CALL () {
  MATCH (n:Note)-[:MENTIONS]->(e:Entity)
  WHERE n.audience IN $audiences AND n.expiresAt > $now
  RETURN count(DISTINCT e) AS entities
}
CALL () {
  MATCH (n:Note)-[:LINKS_TO]->(m:Note)
  WHERE n.audience IN $audiences AND m.audience IN $audiences AND n.expiresAt > $now AND m.expiresAt > $now
  RETURN count(*) AS links
}
RETURN entities, links
