// Commits another version of what a team has; a row comes only if the proposal still waits as it was read, what it renews has the version that it was made of, and who proposes it, who decides it and, of what was promoted, whose note it was are in the team.
MATCH (p:Proposal {id: $id})-[:RENEWS]->(n:Note)
SET n.touched = $now, p.touched = $now
REMOVE n.touched, p.touched
WITH p, n
WHERE p.version = $version AND p.status IN $open AND p.expiresAt > $now AND p.consented = $consented
  AND n.version = p.base
  AND all(user IN [p.user, $by, coalesce(n.sourceUser, $by)] WHERE EXISTS { (:User {id: user})-[:MEMBER_OF]->(:Team {id: p.team}) })
SET p.status = 'COMMITTED', p.version = p.version + 1, p.reason = $reason, p.decidedAt = $now, p.decidedBy = $actor,
    p.becameVersion = p.base + 1, p.content = null, n.agreed = coalesce(n.agreed, false) OR $agreed
CREATE (p)-[:BECAME]->(n)
RETURN p.id AS id
