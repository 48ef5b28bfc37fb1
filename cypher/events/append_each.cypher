// Appends an event to each of some streams, but for those of users who are erased, with a number made from the database's clock under the stream's lock.
UNWIND $rows AS row
MATCH (:User {id: row.stream})
MERGE (s:Stream {name: row.stream})
  ON CREATE SET s:System, s.seq = 0
SET s.locked = true // from here on nobody else appends, and nobody is erased
WITH s, row
WHERE EXISTS { (:User {id: row.stream}) }
WITH s, row, datetime.realtime() AS now
WITH s, row, now.epochSeconds * 1000000 + now.microsecond + row.offset AS now
WITH s, row, CASE WHEN s.seq < now THEN now ELSE s.seq + 1 END AS seq
CREATE (e:Event:System)
SET e = row.event, e.stream = row.stream, e.seq = seq
SET s.seq = seq
RETURN count(*) AS appended
