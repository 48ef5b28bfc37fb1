// Writes what notes say of two entities; each relation carries the note's audience, and the absorbed entities whose names were used. What was said between two that are one now stays between them.
UNWIND $rows AS row
MATCH (n:Note {id: row.noteId})
MATCH (sn:EntityName {user: $user, key: row.subjectKey})-[:NAMES]->(sr:Entity)
MATCH (on:EntityName {user: $user, key: row.objectKey})-[:NAMES]->(o:Entity)
OPTIONAL MATCH (sh:Entity {id: CASE WHEN sr = o THEN sn.home END})
OPTIONAL MATCH (oh:Entity {id: CASE WHEN sr = o THEN on.home END})
WITH row, n, CASE WHEN sr = o THEN coalesce(sh, sr) ELSE sr END AS s, CASE WHEN sr = o THEN coalesce(oh, o) ELSE o END AS o,
     CASE WHEN sr = o THEN '' ELSE coalesce(sn.home, '') END AS subjectHome, CASE WHEN sr = o THEN '' ELSE coalesce(on.home, '') END AS objectHome
MERGE (s)-[r:RELATES_TO {noteId: row.noteId, predicate: row.predicate, subjectHome: subjectHome, objectHome: objectHome}]->(o)
  ON CREATE SET r.ofText = row.ofText
  ON MATCH SET r.ofText = CASE WHEN row.ofText THEN r.ofText END, r.old = null
SET r.audience = n.audience, r.status = n.status, r.expiresAt = n.expiresAt, r.confidence = row.confidence, r.validFrom = row.validFrom, r.validTo = row.validTo,
    r.createdAt = coalesce(r.createdAt, $now)
RETURN count(r) AS relations
