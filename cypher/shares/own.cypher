// Reads which domains a user shares at a time, with which of the teams that the user is a member of, and until when.
MATCH (u:User {id: $user})-[s:SHARES]->(t:Team)
WHERE s.until > $now AND EXISTS { (u)-[:MEMBER_OF]->(t) }
WITH u, s, t ORDER BY s.domain, t.id
RETURN collect({user: u.id, domain: s.domain, team: t.id, until: s.until.epochMillis}) AS rows
