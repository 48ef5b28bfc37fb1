// Lists the notes of a user after one by id that were changed since a time, for a search for secrets; a page by id.
MATCH (n:Note {user: $user})
USING INDEX SEEK n:Note(user, status)
WHERE n.status IS NOT NULL AND n.id > $after AND n.updatedAt >= $since AND n.expiresAt > $now
WITH n ORDER BY n.id LIMIT $limit
RETURN n.id AS id
