// Reads a page of the live readable notes, newest first, with what a reflection goes by and without their texts; of what they mention what they name themselves, since a name found in a text may be known from a hidden note.
UNWIND $audiences AS audience
CALL (audience) {
  MATCH (n:Note {audience: audience})
  USING INDEX SEEK n:Note(audience, createdAt)
  WHERE n.createdAt <= $before AND n.expiresAt > $now AND n.validTo > $now AND n.status IN $statuses
    AND NOT n:Skill AND NOT n:Knowledge
    AND CASE n.createdAt WHEN $before THEN n.id < $beforeId ELSE true END
  RETURN n ORDER BY n.audience DESC, n.createdAt DESC, n.id DESC LIMIT $limit
}
WITH n ORDER BY n.createdAt DESC, n.id DESC LIMIT $limit
RETURN collect([n.id, n.version, n.audience, n.kind, n.source, n.tags, COLLECT { MATCH (n)-[m:MENTIONS {given: true}]->(e:Entity) WHERE m.of IS NULL RETURN DISTINCT e.id AS id ORDER BY id LIMIT 20 },
  n.domain, n.createdAt.epochMillis, n.happenedAt.epochMillis, n.accessTimes[-1].epochMillis, n.accessCount, n.importance,
  n.pinned, n.loadBearing, n.episode, n.coreBlock, n.coreMark IS NOT NULL,
  n.kind = 'PROCEDURAL' AND size(coalesce(n.helpedAt, [])) > 0 AND n.helpedAt[-1] >= coalesce(n.wordedAt, n.helpedAt[-1]) AND coalesce(n.helpedAt[-1] > n.failedAt[-1], true),
  n.tier = 'FOUNDATIONAL']) AS rows
