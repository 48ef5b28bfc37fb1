// Keeps until when a user's episodes are consolidated.
MATCH (u:User {id: $user})
SET u.consolidatedAt = $now
RETURN u.id AS user
