// Finds the readable note of a user with an external id; the one of the given author first, then the oldest.
MATCH (n:Note {user: $user, externalId: $externalId}) USING INDEX SEEK n:Note(user, externalId)
WHERE n.audience IN $audiences AND n.expiresAt > $now
RETURN n.id AS id
ORDER BY n.externalKey = $first DESC, n.createdAt, n.id
LIMIT 1
