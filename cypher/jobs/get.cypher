// Reads one run; one that is running has failed when its lease is over. Database time, since it is a lease.
MATCH (r:JobRun {id: $id})
OPTIONAL MATCH (l:JobLease {name: 'job:' + r.job, owner: r.id})
WITH r.id AS id, coalesce(l.until < datetime(), true) AS free
MATCH (r:JobRun {id: id}) // again, after the lease: one that ends meanwhile gives its lease back together with that
WITH r, free AND r.status = 'RUNNING' AS over
WITH r {.id, .job, .slot, .counts, status: CASE WHEN over THEN 'FAILED' ELSE r.status END,
          error: CASE WHEN over THEN $lost ELSE r.error END,
          startedAt: r.startedAt.epochMillis, finishedAt: r.finishedAt.epochMillis} AS run
WHERE all(each IN [run.id, run.job, run.startedAt, run.status] WHERE each IS NOT NULL) // else it was removed while it was read
RETURN run
