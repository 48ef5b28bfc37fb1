// Finds judged questions, of everybody, whose vectors are those of another embedding model.
MATCH (r:Recall)
USING INDEX SEEK r:Recall(asker, judgedAt)
WHERE r.asker >= '' AND r.judgedAt IS NOT NULL AND r.model <> $model AND r.query IS NOT NULL
RETURN r.id AS id, r.query AS query
LIMIT $limit
