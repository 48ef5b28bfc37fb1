// Keeps the lease of a run and how far it has got, and tells whether it is to stop; no row when another process has the lease by now. Database time, since it is a lease.
// A place that names a user ($named) is kept only while there is that user, whose lock an erasure needs: what is erased is not named again.
MATCH (l:JobLease {name: 'job:' + $job, owner: $id, fence: $fence})
SET l.until = datetime() + duration({seconds: $seconds})
WITH l
OPTIONAL MATCH (u:User {id: $named})
SET u.touched = datetime()
REMOVE u.touched
WITH l, $named IS NULL OR coalesce(u:User, false) AS there
MATCH (r:JobRun {id: $id})
SET r.counts = CASE WHEN there THEN coalesce($counts, r.counts) ELSE r.counts END,
    r.place = CASE WHEN there THEN coalesce($place, r.place) ELSE r.place END
MERGE (s:Stream {name: $stream})
  ON CREATE SET s:System, s.seq = 0
SET s.seq = s.seq + 1
RETURN coalesce(r.cancelled, false) AS cancelled
