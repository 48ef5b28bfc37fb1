// Changes notes, with a revision for each change; a row comes only if all of them still have the version and the readers that the change was decided upon. Each note's own lock comes first.
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
SET n.touched = $now
REMOVE n.touched
WITH n, row
WHERE n.version = row.version AND n.audience = row.audience
SET n += row.given, n.updatedAt = $now,
    n.givenTags = n.givenTags + [tag IN row.givenTags WHERE NOT tag IN n.givenTags],
    n.lentTags = CASE WHEN size(row.lentTags) > 0 THEN coalesce(n.lentTags, []) + row.lentTags ELSE n.lentTags END,
    n.givenKeywords = CASE WHEN row.givenKeywords = [] THEN n.givenKeywords ELSE row.givenKeywords END
REMOVE n:Current
FOREACH (current IN CASE WHEN n.status = 'ACTIVE' AND n.tier <> 'LONG_TERM' AND n.validFrom <= datetime('0001-01-02T00:00:00Z') AND n.validTo >= datetime('9999-12-30T00:00:00Z') AND n.expiresAt >= datetime('9999-12-30T00:00:00Z') THEN [n] ELSE [] END | SET current:Current)
WITH n, row
CALL (n, row) {
  UNWIND row.revisions AS revision
  CREATE (n)-[:HAD]->(:Revision {version: revision.version, at: $now, actor: $actor, content: coalesce(revision.content, n.content), changes: revision.changes})
}
CALL (n, row) {
  WITH n, row WHERE row.embedding IS NOT NULL
  CALL db.create.setNodeVectorProperty(n, 'embedding', row.embedding)
}
CALL (n, row) {
  WITH n, row WHERE row.given.status IS NOT NULL
  MATCH ()-[r:RELATES_TO {noteId: n.id}]->()
  SET r.status = n.status, r.validTo = coalesce(r.validTo, row.endedAt)
}
WITH count(*) AS changed
WHERE changed = size($rows)
RETURN changed
