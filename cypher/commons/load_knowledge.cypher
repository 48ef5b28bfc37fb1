// Loads what teams know by id, without what was made of a note that its owner has put away.
UNWIND $ids AS id
MATCH (n:Note {id: id})
USING INDEX SEEK n:Note(id)
WHERE n:Knowledge AND n.audience IN $audiences AND CASE WHEN n.section IS NOT NULL AND n.archivedBy = 'system:decay' THEN true ELSE n.status IN $statuses END AND n.expiresAt > $now AND NOT EXISTS {
  (n)-[:PROMOTED_FROM]->(o:Note) WHERE o.status = 'ARCHIVED' AND o.archivedBy IS NULL
}
WITH n LIMIT 1000
RETURN collect(n {.id, .user, .content, .domain, .confidence, .verifiedBy, .sourceUser, .version,
  promotedFrom: [(n)-[:PROMOTED_FROM]->(o:Note) WHERE o.audience IN $own | o.id][0]}) AS rows
