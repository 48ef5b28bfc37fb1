// Finds the readable notes that mention entities, newest first; with $at those that were known and true then.
UNWIND $ids AS id
MATCH (e:Entity {id: id, user: $user})
CALL (e) {
  MATCH (n:Note)-[m:MENTIONS]->(e)
  WHERE n.audience IN $audiences AND n.expiresAt > $now AND n.status IN $statuses
    AND (m.given OR NOT EXISTS { (e)-[:ABSORBED]->(:Entity) } OR EXISTS { (g:Note)-[i:MENTIONS {given: true}]->(e) WHERE coalesce(i.home, '') = coalesce(m.home, '') AND g.audience IN $audiences AND g.expiresAt > $now AND g.status IN $statuses })
    AND ($at IS NULL OR (n.createdAt <= $at AND n.validFrom <= $at AND n.validTo > $at))
  WITH DISTINCT n
  ORDER BY n.createdAt DESC, n.id DESC
  LIMIT $limit
  RETURN n.id AS note
}
RETURN e.id AS entity, note
