// Ends a run, which needs its place no more (it may name a user), and gives its lease back; no row when another process has the lease by now.
MATCH (l:JobLease {name: 'job:' + $job, owner: $id, fence: $fence})
SET l.until = datetime({epochMillis: 0})
WITH l
MATCH (r:JobRun {id: $id})
SET r.finishedAt = $now, r.status = $status, r.counts = $counts, r.error = $error, r.place = null
MERGE (s:Stream {name: $stream})
  ON CREATE SET s:System, s.seq = 0
SET s.seq = s.seq + 1
RETURN r.id AS id
