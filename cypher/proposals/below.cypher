// Reads what decides upon the readers of a user's proposed notes in a domain and below; a page by id.
MATCH (p:Proposal {user: $user, kind: 'WRITE'})
WHERE p.status <> 'COMMITTED' AND p.id > $after AND CASE p.domain WHEN $domain THEN true ELSE p.domain STARTS WITH $below END
RETURN p {.id, .author, .audience, .domain, .asked, .found} AS proposal
ORDER BY p.id LIMIT $limit
