// Takes over the run of a slot whose owner died; no row when somebody else did, or when it lives. Database time, since it is a lease.
MATCH (l:JobLease {name: 'job:' + $job, owner: $id})
SET l.touched = datetime()
WITH l
WHERE l.fence = $fence AND l.until < datetime()
MATCH (r:JobRun {id: $id, status: 'RUNNING'})
SET l.until = datetime() + duration({seconds: $seconds}), l.fence = l.fence + 1, r.attempts = r.attempts + 1
RETURN l.fence AS fence
