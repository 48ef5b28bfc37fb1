// Loads readable skills by id, without those that were made of a note that its owner has put away.
UNWIND $ids AS id
MATCH (n:Note {id: id})
USING INDEX SEEK n:Note(id)
WHERE n:Skill AND @readable(n) AND CASE WHEN n.section IS NOT NULL AND n.archivedBy = 'system:decay' THEN true ELSE n.status IN $statuses END AND NOT EXISTS {
  (n)-[:PROMOTED_FROM]->(o:Note) WHERE o.status = 'ARCHIVED' AND o.archivedBy IS NULL
}
WITH n LIMIT 1000
RETURN collect(n {.id, .user, .title, .content, .trigger, .tags, .successCount, .failureCount, .usedBy, .version, .sourceAgents, .sourceUser,
  lastUsedAt: n.lastUsedAt.epochMillis}) AS rows
