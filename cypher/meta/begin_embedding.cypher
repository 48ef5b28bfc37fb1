// Records that another embedding model is taking the place of the recorded one, from the first note on.
MERGE (m:Meta {name: 'embedding'})
  ON CREATE SET m.model = $model, m.dimension = $dimension
SET m.target = $model, m.targetDimension = $dimension, m.reached = '', m.at = $now
RETURN m.target AS target
