// Reads which embedding model made the vectors.
MATCH (m:Meta {name: 'embedding'})
RETURN m.model AS model, m.dimension AS dimension
LIMIT 1
