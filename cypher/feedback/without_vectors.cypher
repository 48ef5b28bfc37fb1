// Finds judged questions, of everybody, without a vector.
MATCH (r:Recall)
USING INDEX SEEK r:Recall(asker, judgedAt)
WHERE r.asker >= '' AND r.judgedAt IS NOT NULL AND r.embedding IS NULL AND r.query IS NOT NULL
RETURN r.id AS id, r.query AS query
LIMIT $limit
