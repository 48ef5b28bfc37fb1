// Appends events to a user's stream, those of merges only where the merge came about; the stream's lock makes the numbers follow the order of the commits.
WITH $rows + [each IN $ofMerges WHERE EXISTS { ()-[:ABSORBED {id: each.merge}]->() } | each.row] AS rows
WHERE rows <> []
MERGE (s:Stream {name: $stream})
  ON CREATE SET s.seq = 0
SET s.seq = s.seq + size(rows)
WITH rows, s.seq - size(rows) AS base
UNWIND range(0, size(rows) - 1) AS i
CREATE (e:Event)
SET e = rows[i], e.stream = $stream, e.seq = base + i + 1
RETURN e.id AS id, e.seq AS seq
