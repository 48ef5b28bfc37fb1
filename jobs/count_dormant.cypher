// Counts the active notes that were not accessed for many recalls of their user.
// cron: 0 5 * * *
// time zone: UTC
// The rows are a page of users with the number of such notes.
MATCH (u:User)
WHERE u.id > $after
WITH u ORDER BY u.id LIMIT $limit
OPTIONAL MATCH (r:Recall {user: u.id, cycle: u.recalls - $cycles + 1})
CALL (u, r) {
  MATCH (n:Note {user: u.id})
  USING INDEX SEEK n:Note(user, status)
  WHERE n.status = 'ACTIVE' AND n.expiresAt > $now AND n.validTo > $now
    AND n.createdAt <= r.at AND coalesce(n.accessTimes[-1] < r.at, true)
  RETURN count(n) AS dormantCandidates
}
RETURN u.id AS user, dormantCandidates
ORDER BY user
