// Asks a run that is going on to stop; no row when it has ended.
MATCH (r:JobRun {id: $id, status: 'RUNNING'})
SET r.cancelled = true
RETURN r.id AS id
