// Finds the passage of each readable note that is nearest to a question; of notes whose whole text fits the model, none.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.audience IN $audiences AND n.expiresAt > $now
CALL (n) {
  MATCH (n)-[:HAS_PASSAGE]->(p:Passage)
  WHERE size(p.embedding) = vector_dimension_count($vector)
  RETURN p.from AS begin, p.to AS end
  ORDER BY vector.similarity.cosine(p.embedding, $vector) DESC, p.from
  LIMIT 1
}
RETURN collect([n.id, n.version, begin, end]) AS rows
