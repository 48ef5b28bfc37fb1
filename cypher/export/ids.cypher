// Lists readable notes of all states, oldest first, from a place on (keyset); each audience in the order of its index.
UNWIND $audiences AS audience
CALL (audience) {
  MATCH (n:Note {audience: audience})
  USING INDEX SEEK n:Note(audience, createdAt)
  WHERE n.createdAt >= $afterAt AND n.expiresAt > $now AND CASE n.createdAt WHEN $afterAt THEN n.id > $afterId ELSE true END
  RETURN n ORDER BY n.audience, n.createdAt, n.id LIMIT $limit
}
WITH n ORDER BY n.createdAt, n.id LIMIT $limit
RETURN n.id AS id, n.createdAt AS at
