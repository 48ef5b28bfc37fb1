// Records which embedding model makes the vectors.
MERGE (m:Meta {name: 'embedding'})
SET m.model = $model, m.dimension = $dimension, m.at = $now
RETURN m.model AS model, m.dimension AS dimension
