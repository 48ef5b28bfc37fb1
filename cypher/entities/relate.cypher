// Writes what notes say of two entities; each relation carries the note's audience.
UNWIND $rows AS row
MATCH (n:Note {id: row.noteId})
MATCH (:EntityName {user: $user, key: row.subjectKey})-[:NAMES]->(s:Entity)
MATCH (:EntityName {user: $user, key: row.objectKey})-[:NAMES]->(o:Entity)
MERGE (s)-[r:RELATES_TO {noteId: row.noteId, predicate: row.predicate}]->(o)
SET r.audience = n.audience, r.status = n.status, r.expiresAt = n.expiresAt, r.confidence = row.confidence, r.validFrom = row.validFrom, r.validTo = row.validTo,
    r.createdAt = coalesce(r.createdAt, $now)
RETURN count(r) AS relations
