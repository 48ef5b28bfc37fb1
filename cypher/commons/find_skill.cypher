// Finds the readable skill of a name, the oldest where there are several.
MATCH (n:Note {user: $user, titleKey: $key})
USING INDEX SEEK n:Note(user, titleKey)
WHERE n:Skill AND @readable(n) AND CASE WHEN n.section IS NOT NULL AND n.archivedBy = 'system:decay' THEN true ELSE n.status IN $statuses END AND NOT EXISTS {
  (n)-[:PROMOTED_FROM]->(o:Note) WHERE o.status = 'ARCHIVED' AND o.archivedBy IS NULL
}
RETURN n.id AS id
ORDER BY n.createdAt, n.id
LIMIT 1
