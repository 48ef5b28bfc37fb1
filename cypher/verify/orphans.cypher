// Counts what belongs to a note that is not there, with the first ids of notes, for `graphmem verify`.
CALL () {
  MATCH ()-[r:RELATES_TO]->()
  WHERE NOT EXISTS { MATCH (:Note {id: r.noteId}) }
  RETURN 'RELATION' AS what, count(r) AS count, collect(DISTINCT r.noteId)[..$examples] AS ids
  UNION
  MATCH (p:Passage)
  WHERE NOT EXISTS { MATCH (:Note)-[:HAS_PASSAGE]->(p) }
  RETURN 'PASSAGE' AS what, count(p) AS count, [] AS ids
  UNION
  MATCH (v:Revision)
  WHERE NOT EXISTS { MATCH ()-[:HAD]->(v) }
  RETURN 'REVISION' AS what, count(v) AS count, [] AS ids
}
RETURN collect({what: what, count: count, ids: ids}) AS rows
