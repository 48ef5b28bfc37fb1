// Finds the readable note of a user with an external id; the one of the given author first, then the oldest; with $only none but that of this key.
MATCH (n:Note {user: $user, externalId: $externalId}) USING INDEX SEEK n:Note(user, externalId)
WHERE @readable(n) AND n.externalKey = coalesce($only, n.externalKey)
RETURN n.id AS id
ORDER BY n.externalKey = $first DESC, n.createdAt, n.id
LIMIT 1
