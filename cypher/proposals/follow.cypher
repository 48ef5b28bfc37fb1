// Gives proposals other readers, and with them the events about them; those that were told to the readers until then are theirs, too. A row comes only if all of them still had the readers that it was decided upon.
UNWIND $rows AS row
MATCH (p:Proposal {id: row.id})
SET p.touched = true
REMOVE p.touched
WITH p, row
WHERE p.audience = row.was AND p.status <> 'COMMITTED'
MERGE (a:Audience {key: row.audience.key})
  ON CREATE SET a:System, a = row.audience
SET p.audience = a.key, p.version = p.version + 1
WITH p, row
CALL (p, row) {
  MATCH (e:Event {subjectId: p.id})
  SET e.audience = p.audience, e.audienceThen = coalesce(e.audienceThen, row.was)
}
WITH count(*) AS moved
WHERE moved = size($rows)
RETURN moved
