// Reads which domains users share at a time with some teams, of those teams that they are members of.
UNWIND $users AS id
MATCH (u:User {id: id})-[s:SHARES]->(t:Team)
WHERE s.until > $now AND t.id IN $teams AND EXISTS { (u)-[:MEMBER_OF]->(t) }
WITH u, s, t ORDER BY u.id, s.domain, t.id
RETURN collect({user: u.id, domain: s.domain, team: t.id, until: s.until.epochMillis}) AS rows
