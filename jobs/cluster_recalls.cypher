// Counts the pairs of notes that are recalled together, of users with new recalls; `clusterCandidates` lists them.
// cron: 50 1 * * *
// time zone: UTC
// The rows are a page of users and whether they have tracked recalls since a time; the pairs are counted in Python.
MATCH (u:User)
WHERE u.id > $after
WITH u ORDER BY u.id LIMIT $limit
OPTIONAL MATCH (r:Recall {user: u.id, cycle: u.recalls})
RETURN u.id AS user, coalesce(r.at >= $since, false) AS due
ORDER BY user
