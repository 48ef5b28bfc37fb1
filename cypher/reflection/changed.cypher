// Finds which notes are not any more as a reflection has seen them: gone, moved to other readers, put away, with another text, or protected from being put away.
UNWIND $rows AS row
OPTIONAL MATCH (n:Note {id: row.id})
WHERE n.audience = row.audience AND n.status IN $statuses AND n.expiresAt > $now AND n.validTo > $now
  AND NOT (row.goes AND (n.pinned OR n.loadBearing))
  AND EXISTS { MATCH (n)-[:HAD]->(v:Revision {version: row.version}) WHERE v.content = n.content }
WITH row, n
WHERE n IS NULL
RETURN row.item AS item
