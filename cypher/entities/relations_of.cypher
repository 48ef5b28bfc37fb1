// Reads what readable notes say of entities by the names in their groups, a row for each two names, predicate and note; with $at what was known and true then.
UNWIND $groups AS group
CALL (group) {
  UNWIND group.members AS member
  MATCH (e:Entity {id: member})
  WHERE e.user = $user
  MATCH (e)-[r:RELATES_TO]-(:Entity)
  WHERE @readable(r) AND r.status IN $statuses
  WITH DISTINCT r
  MATCH (n:Note {id: r.noteId})
  USING INDEX SEEK n:Note(id)
  WHERE $at IS NULL OR (n.createdAt <= $at AND n.validFrom <= $at AND n.validTo > $at
    AND coalesce(r.validFrom, $at) <= $at AND (r.validTo IS NULL OR r.validTo > $at))
  WITH r, n, startNode(r) AS s, endNode(r) AS o
  ORDER BY n.createdAt, n.id, r.predicate, s.id, o.id
  LIMIT $limit
  RETURN s.id AS subject, r.predicate AS predicate, o.id AS object, r.confidence AS confidence, r.validFrom AS validFrom, r.validTo AS validTo,
         r.createdAt AS firstSeenAt, n.accessTimes[-1] AS lastAccessedAt, n.id AS note,
         (EXISTS { (s)-[:ALSO_CALLED|ABSORBED]-() } OR EXISTS { MATCH (p:Entity {user: s.user, loose: s.loose}) USING INDEX SEEK p:Entity(user, loose) WHERE p <> s }) OR (EXISTS { (o)-[:ALSO_CALLED|ABSORBED]-() } OR EXISTS { MATCH (p:Entity {user: o.user, loose: o.loose}) USING INDEX SEEK p:Entity(user, loose) WHERE p <> o }) AS tied
}
RETURN group.id AS entity, subject, predicate, object, confidence, validFrom, validTo, firstSeenAt, lastAccessedAt, note, tied
