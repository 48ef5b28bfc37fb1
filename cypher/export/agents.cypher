// Reads the agents of a user from a place on (keyset).
MATCH (u:User {id: $user})
MATCH (a:Agent {user: $user})
WHERE a.id > $after
WITH a, u ORDER BY a.id LIMIT $limit
RETURN a.id AS place, a {.*, listed: a.domains IS NOT NULL, domains: coalesce(a.domains, u.agentDomains, ['*']), canSeePrivate: coalesce(a.canSeePrivate, u.agentsSeePrivate, false)} AS row
