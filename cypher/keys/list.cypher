// Lists keys, newest first; never their hashes.
MATCH (k:ApiKey)
RETURN k {.id, .scope, .user, .agent, .name, .createdAt, .expiresAt, .revokedAt} AS key
ORDER BY k.createdAt DESC, k.id
LIMIT $limit
