// Keeps that an agent was told of files that were destroyed.
MATCH (l:LostFile {user: $user})
WHERE l.id IN $ids AND NOT $agent IN l.toldTo
SET l.toldTo = (l.toldTo + $agent)[-1000..]
RETURN count(l) AS told
