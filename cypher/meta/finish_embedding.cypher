// Records that all notes have the vectors of a slot, which waits to come into use unless it is in use.
MERGE (v:Meta {name: 'vectors'})
  ON CREATE SET v:System
SET v.touched = true
REMOVE v.touched
WITH v
MATCH (m:Meta {name: 'embedding'})
SET m.touched = true
REMOVE m.touched
WITH v, m
WHERE m.model = $model AND m.dimension = $dimension
SET m.filled = true, v.waiting = CASE WHEN coalesce(v.inUse, $first) = 'embedding' THEN v.waiting ELSE 'embedding' END
RETURN m.model AS model
