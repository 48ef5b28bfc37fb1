// Keeps from which number on events tell of a user's consolidation; what a process that died before the end has kept stays, and is returned.
MATCH (u:User {id: $user})
WITH u, u.consolidatingFrom AS before, datetime.realtime() AS now
SET u.consolidatingFrom = coalesce(before, now.epochSeconds * 1000000 + now.microsecond)
RETURN before
