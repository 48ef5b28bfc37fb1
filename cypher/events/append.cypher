// Appends events to a user's stream, with numbers made from the database's clock under the stream's lock. No row comes for a user who is erased, nor, with $accessVersion, if rules or profiles have changed since that version: who does either holds this lock, too. With $most, none comes if the user, or the agent, has written for more audiences than that by now.
MERGE (s:Stream {name: $stream})
  ON CREATE SET s:System, s.seq = 0
SET s.locked = true // from here on nobody else appends, so numbers grow in the order of the commits
WITH s
WHERE EXISTS { (u:User {id: $stream}) WHERE $accessVersion IS NULL OR coalesce(u.accessVersion, 0) = $accessVersion }
  AND ($most IS NULL OR $most >= CASE WHEN $agent IS NULL THEN COUNT { (:User {id: $stream})-[:WRITES_FOR]->() } ELSE COUNT { (:Agent {user: $stream, id: $agent})-[:WRITES_FOR]->() } END)
WITH s, datetime.realtime() AS now
WITH s, now.epochSeconds * 1000000 + now.microsecond AS now
WITH s, CASE WHEN s.seq < now THEN now ELSE s.seq + 1 END AS base
UNWIND $rows AS row
CREATE (e:Event:System)
SET e = row.event, e.stream = $stream, e.seq = base + row.offset
WITH s, max(e.seq) AS last
SET s.seq = last
RETURN last
