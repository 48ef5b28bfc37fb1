// Ties notes that a job made to their sources, with the mentions and relations of those that tell them; and tells that the user chose who reads them where that is so of a source.
UNWIND $rows AS row
MATCH (n:Note {id: row.note})
SET n.visibilityByUser = coalesce(n.visibilityByUser, false) OR EXISTS { MATCH (s:Note) WHERE s.id IN row.sources AND s.visibilityByUser }
WITH n, row
CALL (n, row) {
  UNWIND row.sources AS id
  MATCH (s:Note {id: id})
  MERGE (n)-[d:DERIVED_FROM]->(s)
    ON CREATE SET d.at = $now
  SET d.by = $maker
}
CALL (n, row) {
  UNWIND row.tellers AS id
  MATCH (:Note {id: id})-[m:MENTIONS]->(e:Entity)
  MERGE (n)-[c:MENTIONS]->(e)
    ON CREATE SET c = properties(m), c.at = $now
}
CALL (n, row) {
  UNWIND row.tellers AS id
  MATCH (s:Entity)-[r:RELATES_TO {noteId: id}]->(o:Entity)
  MERGE (s)-[c:RELATES_TO {noteId: n.id, predicate: r.predicate}]->(o)
    ON CREATE SET c = properties(r)
  SET c.noteId = n.id, c.audience = n.audience, c.status = n.status, c.expiresAt = n.expiresAt, c.createdAt = $now
}
RETURN count(*) AS derived
