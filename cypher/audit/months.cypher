// Reads a user's digests, newest first.
MATCH (d:AuditDigest {user: $user})
WHERE d.month IS NOT NULL AND ($months IS NULL OR d.month IN $months)
WITH d ORDER BY d.month DESC LIMIT $limit
RETURN collect(d {.month, .numbers}) AS rows
