// Locks the notes of accepted items; a row comes only if all of them are still as the reflection has seen them.
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
SET n.touched = $now
REMOVE n.touched
WITH n, row
WHERE n.audience = row.audience AND n.status IN $statuses AND n.expiresAt > $now AND n.validTo > $now
  AND NOT (row.goes AND (n.pinned OR n.loadBearing))
  AND NOT (row.promotes AND n.coreBlock IS NOT NULL)
  AND (row.makes IS NULL OR NOT EXISTS { (n)<-[:DERIVED_FROM]-(m:Note {kind: row.makes})<-[:MADE]-(:ReflectionItem) WHERE m.status IN $statuses })
  AND EXISTS { MATCH (n)-[:HAD]->(v:Revision {version: row.version}) WHERE v.content = n.content }
WITH count(*) AS unchanged
WHERE unchanged = size($rows)
RETURN unchanged
