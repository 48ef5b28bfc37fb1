// Keeps the consent of the owner to another version of what a team has; a row comes only if the proposal still waits for it as it was read.
MATCH (p:Proposal {id: $id})-[:RENEWS]->(:Note)
SET p.touched = $now
REMOVE p.touched
WITH p
WHERE p.version = $version AND p.status IN $open AND p.expiresAt > $now AND NOT p.consented
SET p.consented = true, p.status = 'AWAITING_ORCHESTRATOR', p.version = p.version + 1, p.reason = $reason, p.consentedAt = $now
RETURN p.id AS id
