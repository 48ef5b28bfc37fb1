// Finds the last of the next proposals after one by id, where a job can't read a row and goes on behind it.
MATCH (p:Proposal)
USING INDEX SEEK p:Proposal(id)
WHERE p.id > $after
WITH p.id AS place ORDER BY place LIMIT $ahead
RETURN max(place) AS place
