// Finds a user's notes outside of a domain that have more readers than a visibility gives, with the beginning of their texts, but for those of local memory; a page by id.
MATCH (n:Note {user: $user})
USING INDEX SEEK n:Note(user, status)
WHERE n.status IS NOT NULL AND n.visibility IN $wider AND n.id > $after
  AND NOT (n.domain = $domain OR n.domain STARTS WITH $below)
RETURN n.id AS id, n.version AS version, n.audience AS audience, n.domain AS domain, n.author AS author, n.visibility AS visibility, n.visibilityByUser AS byUser, n.externalId AS externalId,
  coalesce(n.title + '\n', '') + left(n.content, $most) AS text
ORDER BY id
LIMIT $limit
