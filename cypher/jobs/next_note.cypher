// Finds the last of the next notes after one by id, where a job can't read a row and goes on behind it.
MATCH (n:Note)
USING INDEX SEEK n:Note(id)
WHERE n.id > $after
WITH n.id AS place ORDER BY place LIMIT $ahead
RETURN max(place) AS place
