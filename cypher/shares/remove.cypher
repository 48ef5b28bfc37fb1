// Takes back the share of a domain with a team.
MATCH (u:User {id: $user})-[s:SHARES {domain: $domain}]->(t:Team {id: $team})
DELETE s
RETURN t.id AS team
