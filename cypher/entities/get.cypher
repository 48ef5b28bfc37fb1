// Reads entities, each by the names in its group, as far as readable notes introduce and mention them; of each group also which of its names are introduced.
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
  WITH e, m, n ORDER BY m.given DESC, m.of IS NOT NULL, n.createdAt, n.id, m.name
  RETURN count(DISTINCT n) AS noteCount, collect(m.name)[0] AS name, collect(m.type)[0] AS type, collect(m.names) AS names,
         collect(DISTINCT CASE WHEN m.given THEN e.id END) AS introduced
}
WITH group, noteCount, name, type, names, introduced
WHERE introduced <> []
RETURN group.id AS id, name, type, noteCount, reduce(all = [], list IN names[..1000] | all + list) AS names, introduced
