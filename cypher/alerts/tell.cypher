// Keeps up to which version of files the user was told of changes; no row when somebody else was told meanwhile.
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
SET n.touched = $now
REMOVE n.touched
WITH n, row
WHERE n.audience = row.audience AND n.version = row.version AND coalesce(n.toldVersion, 1) = row.told
SET n.toldVersion = row.version
WITH count(*) AS told
WHERE told = size($rows)
RETURN told
