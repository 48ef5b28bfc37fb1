// Finds the notes that have waited longest for an LLM.
MATCH (n:Note)
USING INDEX SEEK n:Note(refineAt)
WHERE n.refineAt <= $now
RETURN n.id AS id
ORDER BY n.refineAt, n.id
LIMIT $limit
