// Reads the feedback on readable notes in the newest judged answers to who asks, of questions that are like this one, with how near each of them is.
MATCH (r:Recall)
USING INDEX SEEK r:Recall(asker, judgedAt)
WHERE r.asker = $asker AND r.judgedAt <= $now
WITH r ORDER BY r.asker DESC, r.judgedAt DESC LIMIT 100
WITH r WHERE size(r.embedding) = vector_dimension_count($vector)
WITH r, 2 * vector.similarity.cosine(r.embedding, $vector) - 1 AS near
WHERE near > $least
MATCH (r)-[x:RETURNED]->(n:Note)
WHERE x.helpful IS NOT NULL AND n.audience IN $audiences
WITH n, near, x ORDER BY n.id, near DESC, x.helpful
WITH n, collect([near, x.helpful]) AS given
RETURN collect({id: n.id, given: given}) AS rows
