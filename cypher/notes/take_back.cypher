// Takes out of the revisions and links of notes what notes that are destroyed gave them; a row comes only if nothing was given since that was read. Each note's own lock comes first.
CALL () {
  UNWIND $ids AS id
  MATCH (n:Note {id: id})
  SET n.touched = true
  REMOVE n.touched
  RETURN sum(COUNT { MATCH (n)-[r:LINKS_TO]->(m:Note) WHERE r.gave IS NOT NULL AND NOT m.id IN $ids }) AS given
}
CALL () {
  UNWIND $rows AS row
  MATCH (m:Note {id: row.id})
  SET m.touched = true
  REMOVE m.touched
  WITH m, row
  CALL (m, row) {
    UNWIND row.revisions AS revision
    MATCH (m)-[:HAD]->(v:Revision {version: revision.version})
    SET v.changes = revision.changes
  }
  CALL (row) {
    UNWIND row.links AS id
    MATCH ()-[l:LINKS_TO {id: id}]->()
    SET l.reason = $reason, l.gave = null
  }
}
WITH given
WHERE given = $given
RETURN given
