// Takes the marks of files from a user's digests of months before one, as nothing is added to those any more.
MATCH (d:AuditDigest {user: $user})
WHERE d.month < $before AND d.marks IS NOT NULL
SET d.marks = null
