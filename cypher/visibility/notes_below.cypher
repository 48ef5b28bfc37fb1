// Finds a user's notes of a domain and below that do not have a visibility yet, but for those of local memory; a page by id.
MATCH (n:Note {user: $user})
USING INDEX SEEK n:Note(user, status)
WHERE n.status IS NOT NULL AND n.visibility <> $visibility AND NOT n.visibility IN ['LOCAL', 'QUARANTINED'] AND n.id > $after
  AND CASE n.domain WHEN $domain THEN true ELSE n.domain STARTS WITH $below END
RETURN n.id AS id, n.version AS version, n.audience AS audience, n.domain AS domain, n.author AS author, n.visibility AS visibility, n.visibilityByUser AS byUser, n.externalId AS externalId
ORDER BY id
LIMIT $limit
