// Lists the newest runs of jobs; one that is running has failed when its lease is over. Database time, since it is a lease.
UNWIND $jobs AS job
CALL (job) {
  MATCH (r:JobRun)
  WHERE r.job = job AND r.startedAt IS NOT NULL
  RETURN r
  ORDER BY r.startedAt DESC, r.id DESC
  LIMIT $limit
}
OPTIONAL MATCH (l:JobLease {name: 'job:' + job, owner: r.id})
WITH r.id AS id, coalesce(l.until < datetime(), true) AS free
MATCH (r:JobRun {id: id}) // again, after the lease: one that ends meanwhile gives its lease back together with that
WITH r, free AND r.status = 'RUNNING' AS over
WITH r {.id, .job, .slot, .counts, status: CASE WHEN over THEN 'FAILED' ELSE r.status END,
          error: CASE WHEN over THEN $lost ELSE r.error END,
          startedAt: r.startedAt.epochMillis, finishedAt: r.finishedAt.epochMillis} AS run
WHERE all(each IN [run.id, run.job, run.startedAt, run.status] WHERE each IS NOT NULL) // else it was removed while it was read
RETURN run
ORDER BY run.startedAt DESC, run.id DESC
