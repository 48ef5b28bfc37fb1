// Makes the vector index of passages with everything that a search filters by, as that of notes.
CREATE VECTOR INDEX passage_embedding IF NOT EXISTS
FOR (p:Passage) ON p.embedding
WITH [p.audience, p.status, p.tier, p.kind, p.type, p.happenedAt, p.createdAt, p.validFrom, p.validTo, p.expiresAt]
OPTIONS { indexConfig: {
  `vector.dimensions`: $dimension,
  `vector.similarity_function`: 'cosine',
  `vector.quantization.type`: 'none'
} }
