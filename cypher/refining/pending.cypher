// Finds notes that wait for an LLM, beginning with the first user whose id sorts after $after; of each user the note that has waited longest comes first.
MATCH (n:Note)
USING INDEX SEEK n:Note(user, refineAt)
WHERE n.user > $after AND n.refineAt <= $now
RETURN n.id AS id, n.user AS user
ORDER BY n.user, n.refineAt, n.id
LIMIT $limit
