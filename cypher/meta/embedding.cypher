// Reads which embedding model made the vectors, and which one is taking its place.
MATCH (m:Meta {name: 'embedding'})
RETURN m.model AS model, m.dimension AS dimension,
       m.target AS target, m.targetDimension AS targetDimension, coalesce(m.reached, '') AS reached
LIMIT 1
