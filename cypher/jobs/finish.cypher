// Ends a run and gives its lease back; no row when another run has the lease by now.
MATCH (l:JobLease {name: 'job:' + $job, owner: $id})
MATCH (r:JobRun {id: $id})
SET l.until = datetime({epochMillis: 0}), r.finishedAt = $now, r.status = $status, r.counts = $counts, r.error = $error
RETURN r.id AS id
