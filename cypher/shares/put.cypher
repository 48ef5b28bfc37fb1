// Shares a domain of a user with a team that the user is a member of, until a time; a row comes only for a member who shares no more domains than $most.
MATCH (u:User {id: $user})
SET u.touched = $now
REMOVE u.touched
WITH u
MATCH (u)-[:MEMBER_OF]->(t:Team {id: $team})
WHERE COUNT { (u)-[x:SHARES]->() WHERE x.until > $now } < $most OR EXISTS { (u)-[:SHARES {domain: $domain}]->(t) }
MERGE (u)-[s:SHARES {domain: $domain}]->(t)
  ON CREATE SET s.at = $now
SET s.until = $until
RETURN t.id AS team
