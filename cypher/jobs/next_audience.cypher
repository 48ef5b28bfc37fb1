// Finds the last of the next audiences after one by key, where a job can't read one and goes on behind it.
MATCH (a:Audience)
USING INDEX SEEK a:Audience(key)
WHERE a.key > $after
WITH a.key AS place ORDER BY place LIMIT $ahead
RETURN max(place) AS place
