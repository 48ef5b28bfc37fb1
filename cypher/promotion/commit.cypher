// Commits what a team is to know; a row comes only if it still waits as it was read, with the consent of an owner who is in the team, its note may still be promoted and, of a procedure, has worked as often as was read ($successes, $failures; else null).
MATCH (p:Proposal {id: $id})-[:ABOUT]->(n:Note)
MATCH (u:User {id: p.user})
USING INDEX SEEK u:User(id)
SET u.touched = $now, n.touched = $now, p.touched = $now
REMOVE u.touched, n.touched, p.touched
WITH p, n, u
WHERE p.version = $version AND p.status IN $open AND p.expiresAt > $now AND p.consented
  AND EXISTS { (u)-[:MEMBER_OF]->(:Team {id: p.team}) } AND EXISTS { (:User {id: $by})-[:MEMBER_OF]->(:Team {id: p.team}) }
  AND n.visibility IN $visibilities AND n.status IN $statuses AND n.expiresAt > $now
  AND none(out IN coalesce(u.promotionOptOuts, []) WHERE n.domain = out OR n.domain STARTS WITH out + '/')
  AND ($successes IS NULL OR $successes = CASE WHEN n:Skill THEN n.successCount ELSE size([at IN coalesce(n.helpedAt, []) WHERE at >= coalesce(n.wordedAt, at)]) END)
  AND ($failures IS NULL OR $failures = CASE WHEN n:Skill THEN n.failureCount ELSE size([at IN coalesce(n.failedAt, []) WHERE at >= coalesce(n.wordedAt, at)]) END)
SET p.status = 'COMMITTED', p.version = p.version + 1, p.reason = $reason, p.decidedAt = $now, p.decidedBy = $actor
RETURN p.id AS id
