// Finds the passages of each readable note that are nearest to a question; of notes whose whole text fits the model, none.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE @readable(n)
CALL (n) {
  MATCH (n)-[:HAS_PASSAGE]->(p:Passage)
  WHERE size(p.embedding) = vector_dimension_count($vector)
  WITH p, 2 * vector.similarity.cosine(p.embedding, $vector) - 1 AS s
  ORDER BY s DESC, p.from
  LIMIT 5
  RETURN collect([s, p.words, p.from, p.to]) AS parts
}
WITH n, parts
WHERE size(parts) > 0
RETURN collect([n.id, n.version, parts]) AS rows
