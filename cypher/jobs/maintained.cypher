// Keeps at which recall of a user its memory was maintained.
MATCH (u:User {id: $user})
SET u.maintainedCycle = $cycle, u.maintainedAt = $now
RETURN u.id AS user
