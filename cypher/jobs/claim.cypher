// Begins a run of a job, unless another one holds the lease or the slot is not newer than the newest one, and ends the run that lost it. Database time, since it is a lease.
MERGE (l:JobLease {name: 'job:' + $job})
  ON CREATE SET l:System
SET l.touched = datetime()
WITH l
WHERE coalesce(l.until, datetime({epochMillis: 0})) < datetime() AND ($slotAt IS NULL OR coalesce(l.slotAt < $slotAt, true))
OPTIONAL MATCH (lost:JobRun {id: l.owner})
WITH l, CASE WHEN lost.status = 'RUNNING' THEN [lost] ELSE [] END AS losers
FOREACH (each IN losers | SET each.status = 'FAILED', each.error = $lost, each.finishedAt = $now, each.place = null)
SET l.owner = $id, l.until = datetime() + duration({seconds: $seconds}), l.fence = coalesce(l.fence, 0) + 1, l.slotAt = coalesce($slotAt, l.slotAt)
CREATE (r:JobRun:System {id: $id, job: $job, slot: $slot, scheduled: $slotAt IS NOT NULL, attempts: 1, startedAt: $now, status: 'RUNNING'})
RETURN l.fence AS fence
