// Tells whether a procedure of a user was used with success since a time, and has not failed after that; skills are known already.
MATCH (n:Note {user: $user})
USING INDEX SEEK n:Note(user, status)
WHERE n.status IN $statuses AND n.kind = 'PROCEDURAL' AND n.expiresAt > $now AND n.validTo > $now
  AND NOT n:Skill AND NOT n:Knowledge
  AND n.helpedAt[-1] >= coalesce(n.wordedAt, n.helpedAt[-1]) AND n.helpedAt[-1] >= $since AND coalesce(n.helpedAt[-1] > n.failedAt[-1], true)
WITH n LIMIT 1
RETURN n.id AS id
