// Reads the marks of the files that a user's digests of months count.
MATCH (d:AuditDigest {user: $user})
WHERE d.month IN $months AND d.marks IS NOT NULL
WITH d LIMIT $limit
RETURN collect(d {.month, .marks}) AS rows
