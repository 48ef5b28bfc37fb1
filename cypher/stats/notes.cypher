// Counts readable notes by domain, visibility, status and tier, with the bytes of their text and vector.
UNWIND $audiences AS audience
MATCH (n:Note {audience: audience})
USING INDEX SEEK n:Note(audience, createdAt)
WHERE n.createdAt IS NOT NULL AND n.expiresAt > $now
RETURN n.domain AS domain, n.visibility AS visibility, n.status AS status, n.tier AS tier, count(n) AS notes,
       sum(size(n.content) + CASE WHEN n.embedding IS NULL THEN 0 ELSE $vectorBytes END) AS bytes
LIMIT 20000
