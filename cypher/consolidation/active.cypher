// Reads a page of the knowledge of an audience, newest first, with what tells how active each note is.
// The label is checked within CASE, since the planner may scan a label that few nodes have.
MATCH (n:Note {audience: $audience})
USING INDEX SEEK n:Note(audience, createdAt)
WHERE n.createdAt <= $before AND n.kind = 'SEMANTIC' AND NOT n:Skill AND NOT n:Knowledge
  AND n.validity <> 'DEPRECATED' AND n.coreBlock IS NULL
  AND CASE WHEN n:Current THEN n.createdAt < $before OR n.id < $beforeId ELSE false END
WITH n ORDER BY n.audience DESC, n.createdAt DESC, n.id DESC LIMIT $limit
RETURN collect([n.id, n.createdAt.epochMillis, [t IN n.accessTimes | t.epochMillis], n.accessCount]) AS rows
