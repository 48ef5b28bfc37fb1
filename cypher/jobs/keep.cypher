// Keeps the lease of a run and how far it has got, and tells whether it is to stop; no row when another process has the lease by now. Database time, since it is a lease.
MATCH (l:JobLease {name: 'job:' + $job, owner: $id, fence: $fence})
SET l.until = datetime() + duration({seconds: $seconds})
WITH l
MATCH (r:JobRun {id: $id})
SET r.counts = coalesce($counts, r.counts), r.place = coalesce($place, r.place)
MERGE (s:Stream {name: $stream})
  ON CREATE SET s.seq = 0
SET s.seq = s.seq + 1
RETURN coalesce(r.cancelled, false) AS cancelled
