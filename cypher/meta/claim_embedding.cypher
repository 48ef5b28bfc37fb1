// Records the embedding model unless one is recorded; tells which one counts, and which one is taking its place.
MERGE (m:Meta {name: 'embedding'})
  ON CREATE SET m.model = $model, m.dimension = $dimension, m.at = $now
RETURN m.model AS model, m.dimension AS dimension,
       m.target AS target, m.targetDimension AS targetDimension, coalesce(m.reached, '') AS reached
