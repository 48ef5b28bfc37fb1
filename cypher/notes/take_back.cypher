// Takes out of notes what notes that are destroyed gave them; a row comes only if all of them still have the version that was read, and nothing was given since. Each note's own lock comes first.
CALL () {
  UNWIND $ids AS id
  MATCH (n:Note {id: id})
  SET n.touched = $now
  REMOVE n.touched
  RETURN sum(COUNT { MATCH (n)-[r:LINKS_TO]->(m:Note) WHERE r.gave IS NOT NULL AND NOT m.id IN $ids }) AS given
}
CALL () {
  UNWIND $rows AS row
  MATCH (m:Note {id: row.id})
  SET m.touched = $now
  REMOVE m.touched
  WITH m, row
  WHERE m.version = row.version
  SET m.tags = row.tags, m.lentTags = [tag IN m.lentTags WHERE tag IN row.tags], m.context = row.context, m.version = m.version + 1, m.updatedAt = $now
  CREATE (m)-[:HAD]->(:Revision {version: m.version, at: $now, actor: $actor, content: m.content, changes: row.changes})
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
  RETURN count(m) AS changed
}
WITH changed, given
WHERE changed = size($rows) AND given = $given
RETURN changed
