// Lists the readable notes that count, newest first, from a place on (keyset), each with all that another change of it than of its words would change, and with what any change of its words does. Sessions' own notes are left out. Each audience comes in the order of its index.
UNWIND $audiences AS audience
CALL (audience) {
  MATCH (n:Note {audience: audience})
  USING INDEX SEEK n:Note(audience, createdAt)
  WHERE n.createdAt <= $upTo AND n.expiresAt > $now AND n.status IN $statuses AND NOT n.visibility IN ['LOCAL', 'QUARANTINED']
    AND CASE n.createdAt WHEN $beforeAt THEN n.id < $beforeId ELSE true END
  RETURN n ORDER BY n.audience DESC, n.createdAt DESC, n.id DESC LIMIT $limit
}
WITH n ORDER BY n.createdAt DESC, n.id DESC LIMIT $limit
RETURN collect([n.id, n.createdAt.epochMillis, n.version, n.updatedAt.epochMillis, n.audience, n.status, n.tier, n.externalId,
  n.accessCount, n.accessTimes[-1].epochMillis, n.halfLifeHours, n.metadata]) AS rows
