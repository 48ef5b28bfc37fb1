// Reads which entities stand next to others: related by readable notes, or introduced together by one.
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.user = $user
CALL (e) {
  MATCH (e)-[r:RELATES_TO]-(o:Entity)
  WHERE @readable(r) AND r.status IN $statuses
  WITH DISTINCT o ORDER BY o.id LIMIT 50
  RETURN o
  UNION
  MATCH (n:Note)-[m:MENTIONS]->(e)
  WHERE @readable(n) AND n.status IN $statuses
    AND (m.given OR (
      EXISTS { (g:Note)-[i:MENTIONS {given: true}]->(e) WHERE (m.plain IS NULL OR NOT i.cased) AND @readable(g) AND g.status IN $statuses }
      AND (m.within IS NULL OR NOT EXISTS { MATCH (g:Note)-[:MENTIONS {given: true}]->(w:Entity) USING INDEX SEEK w:Entity(id) WHERE w.id IN m.within AND @readable(g) AND g.status IN $statuses })))
  WITH DISTINCT n ORDER BY n.createdAt DESC, n.id LIMIT 20
  MATCH (n)-[:MENTIONS {given: true}]->(o:Entity)
  WHERE o <> e
  WITH DISTINCT o ORDER BY o.id LIMIT 50
  RETURN o
}
RETURN e.id AS id, collect(DISTINCT o.id) AS around
