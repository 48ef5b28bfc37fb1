// Records which embedding model made all vectors; none is taking its place any longer.
MERGE (m:Meta {name: 'embedding'})
SET m.model = $model, m.dimension = $dimension, m.at = $now
REMOVE m.target, m.targetDimension, m.reached
RETURN m.model AS model, m.dimension AS dimension
