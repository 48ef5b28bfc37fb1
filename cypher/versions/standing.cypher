// Reads, of what a team knows or of a skill of it, its version, whose note it was, whether two people have agreed on it, and who wrote its versions, the present one first; nothing of what was made of a note that its owner has put away.
MATCH (n:Note {id: $id})
USING INDEX SEEK n:Note(id)
WHERE CASE WHEN n:Knowledge THEN true ELSE n:Skill END AND @readable(n) AND NOT EXISTS {
  (n)-[:PROMOTED_FROM]->(o:Note) WHERE o.status = 'ARCHIVED' AND o.archivedBy IS NULL
}
RETURN n.version AS version, n.sourceUser AS owner,
  n:Knowledge OR n.sourceUser IS NOT NULL OR coalesce(n.agreed, false) OR EXISTS { (n)-[:PROMOTED_FROM]->() } AS agreed,
  n:Knowledge OR n.sourceUser IS NOT NULL OR EXISTS { (n)-[:PROMOTED_FROM]->() } AS promoted,
  COLLECT { MATCH (n)-[:HAD]->(r:Revision) RETURN r.actor ORDER BY r.version DESC LIMIT 200 } AS actors
