// Which proposals wait, and for whom? Those that end soonest first.
MATCH (p:Proposal)
WHERE p.status IN ['PENDING', 'AWAITING_OWNER', 'AWAITING_ORCHESTRATOR', 'DEFERRED', 'CONFLICT'] AND p.expiresAt > datetime()
OPTIONAL MATCH (p)-[:CONTRADICTS]->(o:Proposal)
RETURN p.kind AS kind, p.status AS status, p.user AS user, p.author AS by, p.team AS team, p.content AS text, p.expiresAt AS until, collect(o.content) AS contradicts
ORDER BY until LIMIT 100;
