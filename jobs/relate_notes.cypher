// Makes the related links between notes that share tags again where there are new notes.
// cron: 30 1 * * *
// time zone: UTC
// The rows are a page of users with the audiences that have notes since a time, and their domains; which notes are related is worked out in Python, audience by audience.
MATCH (u:User)
WHERE u.id > $after
WITH u ORDER BY u.id LIMIT $limit
RETURN u.id AS user, COLLECT {
  MATCH (a:Audience {owner: u.id})
  WHERE EXISTS {
    MATCH (n:Note {audience: a.key})
    USING INDEX SEEK n:Note(audience, createdAt)
    WHERE n.createdAt >= $since
  }
  RETURN [a.key, a.domain] ORDER BY a.key LIMIT 20000
} AS audiences
ORDER BY user
