// Lets notes wait again that were taken for an LLM and not finished, as if nobody had. Each note's own lock comes first.
UNWIND $ids AS id
MATCH (n:Note {id: id})
SET n.touched = $now
REMOVE n.touched
WITH n
WHERE n.refineAt IS NOT NULL
SET n.refineAt = n.createdAt, n.refineTries = n.refineTries - 1
RETURN count(n) AS released
