// Finds the readable notes that mention entities by one of the names in their groups, newest first; with $at those that were known and true then.
UNWIND $groups AS group
CALL (group) {
  UNWIND group.members AS member
  MATCH (e:Entity {id: member})
  WHERE e.user = $user
  MATCH (n:Note)-[m:MENTIONS]->(e)
  WHERE @readable(n) AND n.status IN $statuses
    AND ((m.given AND (m.of IS NULL OR m.of IN group.members)) OR (NOT m.given
      AND EXISTS { (g:Note)-[i:MENTIONS {given: true}]->(e) WHERE (m.plain IS NULL OR NOT i.cased) AND @readable(g) AND g.status IN $statuses }
      AND (m.within IS NULL OR NOT EXISTS { MATCH (g:Note)-[:MENTIONS {given: true}]->(w:Entity) USING INDEX SEEK w:Entity(id) WHERE w.id IN m.within AND @readable(g) AND g.status IN $statuses })))
    AND ($at IS NULL OR (n.createdAt <= $at AND n.validFrom <= $at AND n.validTo > $at))
  WITH DISTINCT n
  ORDER BY n.createdAt DESC, n.id DESC
  LIMIT $limit
  RETURN n.id AS note
}
RETURN group.id AS entity, note
