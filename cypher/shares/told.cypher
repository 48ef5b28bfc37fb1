// Reads the audiences that members of a user's teams, and the user, have shared at a time with these teams: what is OPEN and SCOPED of a shared domain.
OPTIONAL MATCH (me:User {id: $user})-[:MEMBER_OF]->(t:Team)<-[s:SHARES]-(u:User)
USING INDEX SEEK me:User(id)
WHERE t.id IN $teams AND s.until > $now AND EXISTS { (u)-[:MEMBER_OF]->(t) }
WITH u, collect(DISTINCT s.domain) AS domains
CALL (u, domains) {
  MATCH (x:Audience {owner: u.id})
  WHERE x.visibility IN ['OPEN', 'SCOPED'] AND any(domain IN domains WHERE x.domain = domain OR x.domain STARTS WITH domain + '/')
  RETURN x ORDER BY x.key LIMIT 2000
}
WITH u, x ORDER BY u.id, x.key
RETURN collect([u.id, x.visibility, x.domain]) AS rows
