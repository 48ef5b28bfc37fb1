// Puts texts without secrets in the place of those that notes had; the notes' own locks come first.
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
SET n.touched = true
REMOVE n.touched
WITH n, row
CALL (n, row) {
  UNWIND row.revisions AS revision
  MATCH (n)-[:HAD]->(r:Revision {version: revision.version})
  WITH n, r, revision, r.content = revision.content AS same
  SET r.content = revision.content, r.changes = revision.changes, r.textKey = CASE WHEN same THEN r.textKey ELSE n.user + '/' + revision.textKey END
}
CALL (n, row) {
  UNWIND row.wordings AS wording
  MATCH (n)-[:TOLD_AS]->(w:Wording {id: wording.id})
  SET w.content = wording.content, w.title = wording.title, w.speaker = wording.speaker, w.metadata = wording.metadata
}
RETURN count(n) AS notes
