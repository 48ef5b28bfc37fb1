// Records the embedding model of a new graph; in another one it changes nothing.
MERGE (m:Meta {name: 'embedding'})
  ON CREATE SET m:System, m.model = $model, m.dimension = $dimension, m.filled = true, m.at = $now
RETURN m.model AS model
