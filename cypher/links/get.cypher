// Reads a link whose two ends may be read.
MATCH (s:Note)-[r:LINKS_TO {id: $id}]->(t:Note)
WHERE s.audience IN $audiences AND t.audience IN $audiences AND s.expiresAt > $now AND t.expiresAt > $now
RETURN r.id AS id, r.kind AS kind, s.id AS source, t.id AS target, s.audience AS audience, t.audience AS targetAudience, s.domain AS domain
LIMIT 1
