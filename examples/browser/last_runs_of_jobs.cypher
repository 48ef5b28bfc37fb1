// How did the jobs run last? The newest run of each, with what it counted and why it failed.
MATCH (r:JobRun)
WITH r ORDER BY r.startedAt DESC
WITH r.job AS job, collect(r)[0] AS last, count(*) AS runs
RETURN job, last.status AS status, last.startedAt AS began, duration.between(last.startedAt, last.finishedAt) AS took, last.counts AS counts, last.error AS error, runs
ORDER BY job;
