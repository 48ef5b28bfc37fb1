// Finds which of the given external ids a user's notes have; whether they may be read is told beside.
MATCH (n:Note {user: $user})
WHERE n.externalId IN $externalIds
RETURN n.id AS id, n.externalId AS externalId, n.content AS content, n.expiresAt > $now AS live,
       n.audience IN $audiences AND n.status <> 'ARCHIVED' AS readable
LIMIT 1000
