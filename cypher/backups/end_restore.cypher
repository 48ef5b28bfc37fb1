// Records that a restore is complete.
MATCH (m:Meta {name: 'restore'})
DELETE m
RETURN count(*) AS ended
