// Locks notes before something is done about them; a row comes only if all of them still have the readers, and where a version is given the version, that it was decided upon.
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
SET n.touched = true
REMOVE n.touched
WITH n, row
WHERE n.audience = row.audience AND (row.version IS NULL OR n.version = row.version)
WITH count(*) AS unchanged
WHERE unchanged = size($rows)
RETURN unchanged
