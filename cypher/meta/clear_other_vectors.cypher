// Takes the vectors of a slot without a model from some of everybody's judged questions and proposals; no row comes if the slot has got a model.
MERGE (m:Meta {name: 'embedding'})
  ON CREATE SET m:System
SET m.touched = true
REMOVE m.touched
WITH m
WHERE m.model IS NULL
CALL () {
  MATCH (r:Recall)
  USING INDEX SEEK r:Recall(asker, judgedAt)
  WHERE r.asker >= '' AND r.judgedAt IS NOT NULL AND r.embedding IS NOT NULL
  WITH r LIMIT $limit
  REMOVE r.embedding
  RETURN count(r) AS questions
}
CALL () {
  MATCH (p:Proposal)
  WHERE p.embedding IS NOT NULL
  WITH p LIMIT $limit
  REMOVE p.embedding
  RETURN count(p) AS proposals
}
RETURN questions + proposals AS cleared
