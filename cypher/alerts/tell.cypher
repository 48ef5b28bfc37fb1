// Keeps up to which version of files an agent was told of changes; no row when a file has changed meanwhile.
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
MATCH (a:Agent {user: $user, id: $agent})
SET n.touched = $now
REMOVE n.touched
WITH n, a, row
WHERE n.audience = row.audience AND n.version = row.version
MERGE (a)-[t:TOLD_OF]->(n)
SET t.version = row.version
WITH count(*) AS told
WHERE told = size($rows)
RETURN told
