// Tells of each job the newest slot that had a run, whether its lease is free, and the run of a slot that was left behind; with the time of the database, which all processes share.
UNWIND $jobs AS job
OPTIONAL MATCH (l:JobLease {name: 'job:' + job})
OPTIONAL MATCH (r:JobRun {id: l.owner, status: 'RUNNING', scheduled: true})
RETURN job, datetime() AS now, l.slotAt AS slotAt, l.fence AS fence, coalesce(l.until < datetime(), true) AS free,
  r {.id, .slot, .counts, .place, .attempts, startedAt: r.startedAt.epochMillis} AS left
