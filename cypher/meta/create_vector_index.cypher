// Makes the vector index with everything that a search filters by; unquantized, since quantized vectors lose neighbours under a filter.
CREATE VECTOR INDEX note_embedding IF NOT EXISTS
FOR (n:Note) ON n.embedding
WITH [n.audience, n.status, n.tier, n.kind, n.type, n.happenedAt, n.createdAt, n.validFrom, n.validTo, n.expiresAt]
OPTIONS { indexConfig: {
  `vector.dimensions`: $dimension,
  `vector.similarity_function`: 'cosine',
  `vector.quantization.type`: 'none'
} }
