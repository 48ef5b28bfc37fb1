// Finds open proposals of notes, of everybody, without a vector.
MATCH (p:Proposal {kind: 'WRITE'})
WHERE p.status IN $open AND p.expiresAt > $now AND p.embedding IS NULL AND p.content IS NOT NULL
RETURN p.id AS id, p.title AS title, p.content AS content
LIMIT $limit
