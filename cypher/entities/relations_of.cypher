// Reads what readable notes say of entities, the same statement of several notes as one row; with $at what was known and true then.
UNWIND $ids AS id
MATCH (e:Entity {id: id, user: $user})
CALL (e) {
  MATCH (e)-[r:RELATES_TO]-(:Entity)
  WHERE r.audience IN $audiences AND r.expiresAt > $now AND r.status IN $statuses
  MATCH (n:Note {id: r.noteId})
  USING INDEX SEEK n:Note(id)
  WHERE $at IS NULL OR (n.createdAt <= $at AND n.validFrom <= $at AND n.validTo > $at
    AND coalesce(r.validFrom, $at) <= $at AND (r.validTo IS NULL OR r.validTo > $at))
  WITH r, n, startNode(r) AS s, endNode(r) AS o ORDER BY n.createdAt, n.id
  RETURN s.id AS subject, r.predicate AS predicate, o.id AS object, max(r.confidence) AS confidence,
         min(r.validFrom) AS validFrom, max(r.validTo) AS validTo, min(r.createdAt) AS firstSeenAt,
         max(n.accessTimes[-1]) AS lastAccessedAt, collect(DISTINCT n.id)[..100] AS notes
  ORDER BY size(notes) DESC, predicate, subject, object
  LIMIT $limit
}
RETURN e.id AS entity, subject, predicate, object, confidence, validFrom, validTo, firstSeenAt, lastAccessedAt, notes
