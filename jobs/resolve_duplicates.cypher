// Resolves near copies and contradictions among notes where there are new ones.
// cron: 20 * * * *
// time zone: UTC
// The rows are a page of users with the audiences that have notes since a time; what becomes of them is decided in Python, audience by audience.
MATCH (u:User)
WHERE u.id > $after
WITH u ORDER BY u.id LIMIT $limit
RETURN u.id AS user, COLLECT {
  MATCH (a:Audience {owner: u.id})
  WHERE NOT a.visibility IN ['LOCAL', 'QUARANTINED'] AND EXISTS {
    MATCH (n:Note {audience: a.key})
    USING INDEX SEEK n:Note(audience, createdAt)
    WHERE n.createdAt >= $since
  }
  RETURN a.key ORDER BY a.key LIMIT 20000
} AS audiences
ORDER BY user
