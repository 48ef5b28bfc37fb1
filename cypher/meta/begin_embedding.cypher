// Records the model whose vectors a slot is to get; a row comes only if it holds no others, after its lock was taken.
MERGE (m:Meta {name: 'embedding'})
  ON CREATE SET m:System
SET m.touched = true
REMOVE m.touched
WITH m
WHERE coalesce(m.model = $model AND m.dimension = $dimension, m.model IS NULL)
SET m.model = $model, m.dimension = $dimension, m.filled = coalesce(m.filled, m.at IS NOT NULL), m.at = $now
RETURN m.model AS model
