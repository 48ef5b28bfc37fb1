// Reads which entities stand beside others: related by readable notes, or introduced together by one.
UNWIND $ids AS id
MATCH (e:Entity {id: id, user: $user})
CALL (e) {
  MATCH (e)-[r:RELATES_TO]-(o:Entity)
  WHERE r.audience IN $audiences AND r.expiresAt > $now AND r.status IN $statuses
  WITH DISTINCT o ORDER BY o.id LIMIT 50
  RETURN o
  UNION
  MATCH (n:Note)-[:MENTIONS]->(e)
  WHERE n.audience IN $audiences AND n.expiresAt > $now AND n.status IN $statuses
  WITH DISTINCT n ORDER BY n.createdAt DESC, n.id LIMIT 20
  MATCH (n)-[:MENTIONS {given: true}]->(o:Entity)
  WHERE o <> e
  WITH DISTINCT o ORDER BY o.id LIMIT 50
  RETURN o
}
RETURN e.id AS id, collect(DISTINCT o.id) AS around
