// Brings back the notes that jobs have archived because others told what they say, when these others go; a row comes only if none but these were made of what goes. Each note's own lock comes first.
CALL () {
  UNWIND $ids AS id
  MATCH (:Note {id: id})<-[d:DERIVED_FROM]-(m:Note)
  WHERE d.by IS NOT NULL AND NOT m.id IN $ids
  RETURN count(m) AS others
}
WITH others
WHERE others = 0
CALL () {
  UNWIND $ids AS id
  MATCH (:Note {id: id})-[d:DERIVED_FROM]->(s:Note)
  WHERE d.by IS NOT NULL AND s.archivedBy = d.by AND NOT s.id IN $ids
  WITH DISTINCT s, d.by AS maker ORDER BY s.id
  SET s.touched = $now
  REMOVE s.touched
  WITH s, maker
  WHERE s.status = 'ARCHIVED' AND s.archivedBy = maker
  SET s.status = 'ACTIVE', s.archivedBy = null, s.version = s.version + 1, s.updatedAt = $now
  FOREACH (current IN CASE WHEN s.tier <> 'LONG_TERM' AND s.validFrom <= datetime('0001-01-02T00:00:00Z') AND s.validTo >= datetime('9999-12-30T00:00:00Z') AND s.expiresAt >= datetime('9999-12-30T00:00:00Z') THEN [s] ELSE [] END | SET s:Current)
  CREATE (s)-[:HAD]->(:Revision {version: s.version, at: $now, actor: $actor, content: s.content, changes: $changes})
  WITH s
  CALL (s) {
    MATCH ()-[r:RELATES_TO {noteId: s.id}]->()
    SET r.status = s.status
  }
  RETURN count(*) AS restored
}
RETURN restored
