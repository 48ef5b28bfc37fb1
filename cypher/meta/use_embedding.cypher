// Brings the slot that waits into use; a row comes only if it still waits, with this model.
MATCH (v:Meta {name: 'vectors'})
SET v.touched = true
REMOVE v.touched
WITH v
MATCH (m:Meta {name: 'embedding'})
SET m.touched = true
REMOVE m.touched
WITH v, m
WHERE v.waiting = 'embedding' AND m.model = $model AND m.dimension = $dimension
SET v.inUse = 'embedding', v.waiting = null, v.behind = true
RETURN m.model AS model
