// Finds judged questions, of everybody, whose vectors are those of another embedding model.
MATCH (r:Recall)
WHERE r.model IS NOT NULL AND r.model <> $model
RETURN r.id AS id, r.query AS query
LIMIT $limit
