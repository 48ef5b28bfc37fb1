// Finds users' notes that were put away or expired before an instant, after one by id: for who runs the store, who is told no more of them than their number.
MATCH (n:Note)
USING INDEX SEEK n:Note(id)
WHERE n.id > $after
WITH n ORDER BY n.id
WHERE ($user IS NULL OR n.user = $user) AND n.section IS NULL
  AND (($archived AND n.status = 'ARCHIVED' AND n.updatedAt < $before) OR n.expiresAt < $before)
WITH n ORDER BY n.id LIMIT $limit
RETURN collect({id: n.id, user: n.user}) AS rows
