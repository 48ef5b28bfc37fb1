// Finds the entities that readable notes mention, those named most first.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.audience IN $audiences AND n.expiresAt > $now
CALL (n) {
  MATCH (n)-[m:MENTIONS]->(e:Entity)
  RETURN e.id AS entity, m.count AS mentions
  ORDER BY m.given DESC, mentions DESC, entity
  LIMIT $limit
}
RETURN n.id AS note, entity
