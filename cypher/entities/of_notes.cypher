// Finds the entities that readable notes mention, those named most first; each with whether it may have other names.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE @readable(n)
CALL (n) {
  MATCH (n)-[m:MENTIONS]->(e:Entity)
  WHERE m.of IS NULL AND (m.given OR (
      EXISTS { (g:Note)-[i:MENTIONS {given: true}]->(e) WHERE (m.plain IS NULL OR NOT i.cased) AND @readable(g) AND g.status IN $statuses }
      AND (m.within IS NULL OR NOT EXISTS { MATCH (g:Note)-[:MENTIONS {given: true}]->(w:Entity) USING INDEX SEEK w:Entity(id) WHERE w.id IN m.within AND @readable(g) AND g.status IN $statuses })))
  RETURN e.id AS entity, (EXISTS { (e)-[:ALSO_CALLED|ABSORBED]-() } OR EXISTS { MATCH (o:Entity {user: e.user, loose: e.loose}) USING INDEX SEEK o:Entity(user, loose) WHERE o <> e }) AS tied
  ORDER BY m.given DESC, m.count DESC, entity
  LIMIT $limit
}
RETURN n.id AS note, entity, tied
