// Takes the vectors of a slot without a model from everybody's notes after an id, with the passages that have them; no row comes if the slot has got a model.
MERGE (m:Meta {name: 'embedding'})
  ON CREATE SET m:System
SET m.touched = true
REMOVE m.touched
WITH m
WHERE m.model IS NULL
CALL () {
  MATCH (n:Note)
  WHERE n.id > $after
  WITH n ORDER BY n.id LIMIT $limit
  CALL (n) {
    WITH n WHERE n.embedding IS NOT NULL
    REMOVE n.embedding
  }
  CALL (n) {
    MATCH (n)-[:HAS_PASSAGE]->(p:Passage)
    WHERE p.embedding IS NOT NULL
    DETACH DELETE p
  }
  RETURN max(n.id) AS reached
}
RETURN reached
