// Finds the entities that readable notes mention, those named most first.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.audience IN $audiences AND n.expiresAt > $now
CALL (n) {
  MATCH (n)-[m:MENTIONS]->(e:Entity)
  WHERE m.given OR NOT EXISTS { (e)-[:ABSORBED]->(:Entity) }
    OR EXISTS { (g:Note)-[i:MENTIONS {given: true}]->(e) WHERE coalesce(i.home, '') = coalesce(m.home, '') AND g.audience IN $audiences AND g.expiresAt > $now }
  WITH e, max(CASE WHEN m.given THEN 1 ELSE 0 END) AS given, sum(m.count) AS mentions
  RETURN e.id AS entity
  ORDER BY given DESC, mentions DESC, entity
  LIMIT $limit
}
RETURN n.id AS note, entity
