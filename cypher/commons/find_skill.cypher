// Finds the readable skill of a name, the oldest where there are several.
MATCH (n:Note {user: $user, titleKey: $key})
USING INDEX SEEK n:Note(user, titleKey)
WHERE n:Skill AND n.audience IN $audiences AND n.expiresAt > $now AND (n.status IN $statuses OR (n.section IS NOT NULL AND n.archivedBy = 'system:decay')) AND NOT EXISTS {
  (n)-[:PROMOTED_FROM]->(o:Note) WHERE o.status = 'ARCHIVED' AND o.archivedBy IS NULL
}
RETURN n.id AS id
ORDER BY n.createdAt, n.id
LIMIT 1
