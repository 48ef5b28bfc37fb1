// Reads a key by its public id.
MATCH (k:ApiKey {id: $id})
RETURN k {.id, .hash, .scope, .user, .agent, .name, .createdAt, .expiresAt, .revokedAt} AS key
LIMIT 1
