// Lists the newest runs of jobs.
UNWIND $jobs AS job
CALL (job) {
  MATCH (r:JobRun)
  WHERE r.job = job AND r.startedAt IS NOT NULL
  RETURN r
  ORDER BY r.startedAt DESC, r.id DESC
  LIMIT $limit
}
RETURN r {.id, .job, .slot, .status, .counts, .error, startedAt: r.startedAt.epochMillis, finishedAt: r.finishedAt.epochMillis} AS run
ORDER BY run.startedAt DESC, run.id DESC
