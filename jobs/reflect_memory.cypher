// Reflects for each user on a memory that has grown since the last reflection; the user decides what becomes of it.
// cron: 0 3 * * *
// time zone: UTC
// The rows are a page of users with whether they have notes that are newer than their own last reflection; the reflections are made in Python.
MATCH (u:User)
WHERE u.id > $after
WITH u ORDER BY u.id LIMIT $limit
WITH u, coalesce(COLLECT {
  MATCH (r:Reflection {user: u.id, maker: $maker})
  USING INDEX SEEK r:Reflection(user)
  RETURN max(r.at)
}[0], datetime({epochMillis: 0})) AS last
RETURN u.id AS user, EXISTS {
  MATCH (a:Audience {owner: u.id})
  MATCH (n:Note {audience: a.key})
  USING INDEX SEEK n:Note(audience, createdAt)
  WHERE n.createdAt > last
} AS due
ORDER BY user
