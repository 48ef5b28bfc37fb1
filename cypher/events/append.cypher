// Appends events to a user's stream; the stream's lock makes the numbers follow the order of the commits.
MERGE (s:Stream {name: $stream})
  ON CREATE SET s.seq = 0
SET s.seq = s.seq + size($rows)
WITH s.seq - size($rows) AS base
UNWIND range(0, size($rows) - 1) AS i
CREATE (e:Event)
SET e = $rows[i], e.stream = $stream, e.seq = base + i + 1
RETURN e.id AS id, e.seq AS seq
