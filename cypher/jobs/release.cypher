// Gives the lease of a run back without ending the run, so that any process may take it over.
MATCH (l:JobLease {name: 'job:' + $job, owner: $id, fence: $fence})
SET l.until = datetime({epochMillis: 0})
RETURN l.owner AS owner
