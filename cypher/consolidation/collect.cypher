// Reads a page of the episodes of an audience since a time that a summary may be made of, newest first: not what ends at some time, what is kept as it is, or what a summary tells of already.
// The label is checked within CASE, since the planner may scan a label that few nodes have.
MATCH (n:Note {audience: $audience})
USING INDEX SEEK n:Note(audience, createdAt)
WHERE n.createdAt >= $since AND n.createdAt <= $before AND n.kind = 'EPISODIC' AND NOT n:Skill AND NOT n:Knowledge
  AND n.tier IN ['DAILY', 'SHORT_TERM'] AND NOT (n.pinned OR n.loadBearing OR n.coreBlock IS NOT NULL)
  AND CASE WHEN n:Current THEN n.createdAt < $before OR n.id < $beforeId ELSE false END
  AND NOT EXISTS { (n)<-[d:DERIVED_FROM]-(:Note) WHERE d.by = $maker }
WITH n ORDER BY n.audience DESC, n.createdAt DESC, n.id DESC LIMIT $limit
RETURN collect([n.id, n.createdAt.epochMillis, n.happenedAt.epochMillis, n.embedding]) AS rows
