// Removes some of what a restore that was broken off, or the start of a service, left in a store; all but the mark of a restore.
MATCH (n)
WHERE NOT (n:Meta AND n.name = 'restore')
WITH n LIMIT $limit
DETACH DELETE n
RETURN count(*) AS removed
