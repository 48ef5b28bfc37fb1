// Decides a proposal; a row comes only if it still has the version and the readers that the decision was made upon.
MATCH (p:Proposal {id: $id})
SET p.touched = $now
REMOVE p.touched
WITH p
WHERE p.version = $version AND p.audience = $audience AND p.status IN $open AND p.expiresAt > $now
SET p.status = $status, p.version = p.version + 1, p.reason = $reason, p.decidedAt = $now, p.decidedBy = $by
RETURN p.id AS id
