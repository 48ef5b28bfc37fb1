// Keeps until when a user's episodes are consolidated.
MATCH (u:User {id: $user})
SET u.consolidatedAt = $now
REMOVE u.consolidatingSince
RETURN u.id AS user
