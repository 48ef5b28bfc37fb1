// Takes the model of a slot away; a row comes only if the other one is in use, and all notes have its vectors.
MERGE (v:Meta {name: 'vectors'})
  ON CREATE SET v:System
SET v.touched = true
REMOVE v.touched
WITH v
MATCH (m:Meta {name: 'embedding'})
SET m.touched = true
REMOVE m.touched
WITH v, m
MATCH (kept:Meta {name: 'embedding2'})
WHERE coalesce(v.inUse, $first) = 'embedding2' AND NOT coalesce(v.behind, false)
  AND kept.model IS NOT NULL AND coalesce(kept.filled, kept.target IS NULL)
SET v.waiting = null
REMOVE m.model, m.dimension, m.filled, m.at, m.target, m.targetDimension, m.reached
RETURN m.name AS name
