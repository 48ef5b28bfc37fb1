// Reads a page of an audience's notes, newest first: those in use with their tags, all with the links of a kind that go out from them.
MATCH (n:Note)
USING INDEX SEEK n:Note(audience, createdAt)
WHERE n.audience = $audience AND n.createdAt <= $before AND CASE n.createdAt WHEN $before THEN n.id < $beforeId ELSE true END
WITH n ORDER BY n.audience DESC, n.createdAt DESC, n.id DESC LIMIT $limit
WITH n, COLLECT {
  MATCH (n)-[r:LINKS_TO {kind: $kind}]->(m:Note)
  RETURN [r.id, r.by, m.id, r.reason]
} AS links, n.status = 'ACTIVE' AND n.expiresAt > $now AND n.validTo > $now AS used
ORDER BY n.createdAt DESC, n.id DESC
RETURN collect([n.id, CASE WHEN used THEN n.tags ELSE [] END, links, n.createdAt.epochMillis]) AS rows
