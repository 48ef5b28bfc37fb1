// Revokes a key from now on.
MATCH (k:ApiKey {id: $id})
SET k.revokedAt = coalesce(k.revokedAt, $now)
RETURN k.id AS id
