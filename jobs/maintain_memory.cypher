// Resolves near copies, makes the related links between notes that share tags again, and counts the notes that were not accessed for many recalls, those that are recalled together, and the entities that may be one: of users with many new recalls.
// cron: */5 * * * *
// time zone: UTC
// The rows are a page of users with so many new recalls since the last time; the work on each audience follows in Python, but for the related links, which jobs/relate_notes.cypher makes.
MATCH (u:User)
WHERE u.id > $after AND coalesce(u.recalls, 0) - coalesce(u.maintainedCycle, 0) >= $every
WITH u ORDER BY u.id LIMIT $limit
OPTIONAL MATCH (r:Recall {user: u.id, cycle: u.recalls - $cycles + 1})
CALL (u, r) {
  MATCH (n:Note {user: u.id})
  USING INDEX SEEK n:Note(user, status)
  WHERE n.status = 'ACTIVE' AND n.expiresAt > $now AND n.validTo > $now
    AND n.createdAt <= r.at AND coalesce(n.accessTimes[-1] < r.at, true)
  RETURN count(n) AS dormantCandidates
}
RETURN u.id AS user, coalesce(u.recalls, 0) AS cycle, coalesce(u.recalls, 0) > coalesce(u.maintainedCycle, -1) AS recalled, dormantCandidates, COLLECT {
  MATCH (a:Audience {owner: u.id})
  WHERE a.visibility <> 'QUARANTINED'
  RETURN [a.key, EXISTS {
    MATCH (n:Note {audience: a.key})
    USING INDEX SEEK n:Note(audience, createdAt)
    WHERE n.createdAt >= coalesce(u.maintainedAt, datetime({epochMillis: 0}))
  }] ORDER BY a.key LIMIT 20000
} AS audiences
ORDER BY user
