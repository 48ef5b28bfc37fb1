// Reads the texts of a user's proposals after one by id that were made or decided since a time, for a search for secrets; a page by id.
MATCH (p:Proposal {user: $owner})
WHERE p.id > $after AND coalesce(p.decidedAt, p.consentedAt, p.createdAt) >= $since
WITH p ORDER BY p.id LIMIT $limit
RETURN p.id AS place, p.id AS id, p {.content, .title, .trigger, .tags, .entities, .reason, .draft} AS texts,
  p {.kind, .status, .audience, .version, .domain, .team} AS about
