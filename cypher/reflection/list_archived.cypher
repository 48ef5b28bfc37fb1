// Lists the readable notes of a user that the sweep of decay has put away since a time and that nobody has put away in person, the last ones first, perhaps some by id.
MATCH (n:Note {user: $user, status: 'ARCHIVED'})
USING INDEX SEEK n:Note(user, status)
WHERE n.archivedBy = $by AND n.audience IN $audiences AND n.updatedAt >= $since AND n.expiresAt > $now AND n.validTo > $now
  AND ($ids IS NULL OR n.id IN $ids) AND NOT n:Skill AND NOT n:Knowledge
WITH n ORDER BY n.updatedAt DESC, n.id DESC LIMIT $limit
RETURN n.id AS id, n.version AS version, n.audience AS audience, n.updatedAt.epochMillis AS at
ORDER BY at DESC, id DESC
