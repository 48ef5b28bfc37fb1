// Writes what notes say of two entities; each relation carries the note's audience.
UNWIND $rows AS row
MATCH (n:Note {id: row.noteId})
MATCH (s:Entity {user: $user, key: row.subjectKey})
MATCH (o:Entity {user: $user, key: row.objectKey})
MERGE (s)-[r:RELATES_TO {noteId: row.noteId, predicate: row.predicate}]->(o)
  ON CREATE SET r.ofText = row.ofText
  ON MATCH SET r.ofText = CASE WHEN row.ofText THEN r.ofText END, r.old = null
SET r.audience = n.audience, r.status = n.status, r.expiresAt = n.expiresAt, r.confidence = row.confidence, r.validFrom = row.validFrom, r.validTo = row.validTo,
    r.createdAt = coalesce(r.createdAt, $now)
RETURN count(r) AS relations
