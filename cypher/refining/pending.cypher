// Finds notes that wait for an LLM, from the first user after $after on who has some, each user's longest waiting first.
MATCH (n:Note)
USING INDEX SEEK n:Note(user, refineAt)
WHERE n.user > $after AND n.refineAt <= $now
RETURN n.id AS id, n.user AS user
ORDER BY n.user, n.refineAt, n.id
LIMIT $limit
