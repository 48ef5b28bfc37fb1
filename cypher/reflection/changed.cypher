// Finds which notes are not any more as a reflection has seen them: gone, moved to other readers, put away, with another text, protected from being put away, in core memory by now, or told by a note that another reflection made.
UNWIND $rows AS row
OPTIONAL MATCH (n:Note {id: row.id})
USING INDEX SEEK n:Note(id)
WHERE n.audience = row.audience AND n.status IN $statuses AND n.expiresAt > $now AND n.validTo > $now
  AND NOT (row.goes AND (n.pinned OR n.loadBearing))
  AND NOT (row.promotes AND n.coreBlock IS NOT NULL)
  AND (row.makes IS NULL OR NOT EXISTS { (n)<-[:DERIVED_FROM]-(m:Note {kind: row.makes})<-[:MADE]-(:ReflectionItem) WHERE m.status IN $statuses })
  AND EXISTS { MATCH (n)-[:HAD]->(v:Revision {version: row.version}) WHERE v.content = n.content }
WITH row, n
WHERE n IS NULL
RETURN row.item AS item
