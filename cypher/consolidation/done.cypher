// Keeps until when a user's episodes are consolidated, and that this has ended.
MATCH (u:User {id: $user})
SET u.consolidatedAt = $now
REMOVE u.consolidatingFrom
RETURN u.id AS user
