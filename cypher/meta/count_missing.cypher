// Counts everybody's notes, and those without a vector.
MATCH (n:Note)
RETURN count(n) AS notes, sum(CASE WHEN n.embedding IS NULL THEN 1 ELSE 0 END) AS missing
