// Keeps the lease of a run; no row when another run has it by now. Database time, since it is a lease.
MATCH (l:JobLease {name: 'job:' + $job, owner: $id})
SET l.until = datetime() + duration({seconds: $seconds})
RETURN l.owner AS owner
