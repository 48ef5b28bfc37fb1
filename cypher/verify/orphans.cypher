// Counts what belongs to a note that is not there, with the first ids of notes, and nodes that lack the label System or have it wrongly, for `graphmem verify`.
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
  UNION
  MATCH (n)
  WHERE (n:System) <> (n:ApiKey|Audience|AuditDigest|Erasure|Event|Invitation|InvitationBlock|JobLease|JobRun|LostFile|Meta|Migration|Recall|Revision|Stream|VisibilityRule|Wording)
  RETURN 'SYSTEM' AS what, count(n) AS count, [] AS ids
}
RETURN collect({what: what, count: count, ids: ids}) AS rows
