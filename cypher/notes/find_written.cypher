// Finds notes that the same request, or the same text for the same audience, made before.
CALL () {
  UNWIND $idempotencyKeys AS key
  MATCH (n:Note {user: $user, idempotencyKey: key}) USING INDEX SEEK n:Note(user, idempotencyKey)
  RETURN n, key, 'request' AS kind
  UNION ALL
  UNWIND $curatedKeys AS key
  MATCH (n:Note {curatedKey: key})
  RETURN n, key, 'text' AS kind
}
RETURN kind, key, n.id AS id, n.requestHash AS requestHash, coalesce(n.requestOperation, 'ADD') AS operation, n.expiresAt > $now AS live
LIMIT 2000
