// Deletes the oldest runs of a job that ended before a time.
MATCH (r:JobRun)
WHERE r.job = $job AND r.startedAt < $before AND r.status <> 'RUNNING'
WITH r ORDER BY r.startedAt LIMIT $limit
DETACH DELETE r
RETURN count(*) AS deleted
