// Counts everybody's notes after an id: so many are still to be embedded again.
MATCH (n:Note)
WHERE n.id > $after
RETURN count(n) AS notes
