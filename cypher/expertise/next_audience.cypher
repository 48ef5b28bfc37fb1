// Finds the audience after one by key, where a job can't read one and goes on behind it.
MATCH (a:Audience)
USING INDEX SEEK a:Audience(key)
WHERE a.key > $after
RETURN a.key AS place
ORDER BY place
LIMIT 1
