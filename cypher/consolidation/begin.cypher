// Keeps since when a user's memory is being consolidated; where a process died before the end, since when it was.
MATCH (u:User {id: $user})
SET u.consolidatingSince = coalesce(u.consolidatingSince, $now)
RETURN u.consolidatingSince.epochMillis AS begun
