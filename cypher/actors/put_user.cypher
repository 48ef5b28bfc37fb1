// Registers a user, or renames one; no row comes while the user is being erased.
OPTIONAL MATCH (gone:Erasure {id: $id})
WITH gone
WHERE gone IS NULL
MERGE (u:User {id: $id})
  ON CREATE SET u.name = coalesce($name, $id), u.defaultVisibility = 'SCOPED', u.createdAt = $now
  ON MATCH SET u.name = coalesce($name, u.name)
RETURN u {.id, .name, .defaultVisibility} AS user
