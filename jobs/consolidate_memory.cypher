// Makes knowledge of each user's episodes of the last day: summaries of what belongs together, conflicts settled, what core memory shows chosen again.
// cron: 0 2 * * *
// time zone: UTC
// The rows are a page of users with their audiences, and whether each has new notes; the steps follow in Python, audience by audience, so that no note changes what others are told.
MATCH (u:User)
WHERE u.id > $after
WITH u ORDER BY u.id LIMIT $limit
WITH u, CASE WHEN u.consolidatedAt < $day THEN u.consolidatedAt ELSE $day END AS since
RETURN u.id AS user, since, COLLECT {
  MATCH (a:Audience {owner: u.id})
  WHERE NOT a.visibility IN ['LOCAL', 'QUARANTINED']
  RETURN [a.key, EXISTS {
    MATCH (n:Note {audience: a.key})
    USING INDEX SEEK n:Note(audience, createdAt)
    WHERE n.createdAt >= since
  }] ORDER BY a.key LIMIT 20000
} AS audiences
ORDER BY user
