// Keeps the consent of the owner to what a team is to know; a row comes only if the proposal still waits for it as it was read, its note is open enough, the team neither knows it nor is another consented proposal of it open, and the owner does not keep its domain out of promotion.
MATCH (p:Proposal {id: $id})-[:ABOUT]->(n:Note)
MATCH (u:User {id: p.user})
USING INDEX SEEK u:User(id)
SET u.touched = $now, n.touched = $now, p.touched = $now
REMOVE u.touched, n.touched, p.touched
WITH p, n, u
WHERE p.version = $version AND p.status IN $open AND p.expiresAt > $now AND NOT p.consented
  AND n.visibility IN $visibilities AND n.status IN $statuses AND n.expiresAt > $now
  AND NOT EXISTS { (o:Proposal {team: p.team})-[:ABOUT]->(n) WHERE o.id <> p.id AND o.status IN $open AND o.expiresAt > $now AND o.consented }
  AND NOT EXISTS { (k:Note)-[:PROMOTED_FROM]->(n) WHERE k.user = 't:' + p.team }
  AND none(out IN coalesce(u.promotionOptOuts, []) WHERE n.domain = out OR n.domain STARTS WITH out + '/')
MERGE (a:Audience {key: $readers.key})
  ON CREATE SET a:System, a = $readers
SET p.consented = true, p.status = 'AWAITING_ORCHESTRATOR', p.version = p.version + 1, p.reason = $reason,
    p.content = $content, p.title = $title, p.domain = $domain, p.audience = a.key, p.consentedAt = $now
RETURN p.id AS id
