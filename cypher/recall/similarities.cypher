// Tells how near notes are to a question.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.audience IN $audiences
RETURN collect({id: n.id, similarity: 2 * vector.similarity.cosine(n.embedding, $vector) - 1}) AS rows
