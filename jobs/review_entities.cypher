// Counts the entities that may be one, of users with new notes; `entityReviews` lists them.
// cron: 40 1 * * *
// time zone: UTC
// The rows are a page of users and whether they have notes since a time; names are compared in Python.
MATCH (u:User)
WHERE u.id > $after
WITH u ORDER BY u.id LIMIT $limit
RETURN u.id AS user, EXISTS {
  MATCH (a:Audience {owner: u.id})
  MATCH (n:Note {audience: a.key})
  USING INDEX SEEK n:Note(audience, createdAt)
  WHERE n.createdAt >= $since
} AS due
ORDER BY user
