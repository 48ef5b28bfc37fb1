// Finds the last of the next verdicts on entities after one by id, where a job can't read a row and goes on behind it.
MATCH (:Entity)-[s:SAME_AS]->(:Entity)
USING INDEX SEEK s:SAME_AS(id)
WHERE s.id > $after
WITH s.id AS place ORDER BY place LIMIT $ahead
RETURN max(place) AS place
