// Finds readable notes that have one of these tags, spelled with hyphens, in any case.
UNWIND $audiences AS audience
MATCH (n:Note {audience: audience})
USING INDEX SEEK n:Note(audience, createdAt)
WHERE n.createdAt IS NOT NULL AND n.expiresAt > $now AND n.status IN $statuses
  AND any(tag IN n.tags WHERE replace(replace(toLower(tag), ' ', '-'), '_', '-') IN $tags)
WITH n ORDER BY n.createdAt DESC, n.id DESC LIMIT $limit
RETURN collect(n.id) AS rows
