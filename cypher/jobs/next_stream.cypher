// Finds the stream of events after one by name, where a job can't read a row and goes on behind it.
MATCH (s:Stream)
USING INDEX SEEK s:Stream(name)
WHERE s.name > $after
RETURN s.name AS place
ORDER BY place
LIMIT 1
