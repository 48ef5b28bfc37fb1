// Counts by label or type what a user owns that holds one of some words: no row proves that nothing does. What is about a team is left out: its members read it, and the user may be none any more.
CALL () {
  MATCH (x:Note {user: $user}) USING INDEX SEEK x:Note(user, status) WHERE x.status IS NOT NULL RETURN x
  UNION ALL
  MATCH (n:Note {user: $user})-[:HAD]->(x:Revision) USING INDEX SEEK n:Note(user, status) WHERE n.status IS NOT NULL RETURN x
  UNION ALL
  MATCH (n:Note {user: $user})-[:TOLD_AS]->(x:Wording) USING INDEX SEEK n:Note(user, status) WHERE n.status IS NOT NULL RETURN x
  UNION ALL
  MATCH (x:Agent {user: $user}) WHERE x.id IS NOT NULL RETURN x
  UNION ALL
  MATCH (x:VisibilityRule {user: $user}) WHERE x.domain IS NOT NULL RETURN x
  UNION ALL
  MATCH (x:Entity {user: $user}) WHERE x.key IS NOT NULL RETURN x
  UNION ALL
  MATCH (x:Episode {user: $user}) WHERE x.key IS NOT NULL RETURN x
  UNION ALL
  MATCH (x:Recall {user: $user}) WHERE x.cycle IS NOT NULL RETURN x
  UNION ALL
  MATCH (x:Conflict {user: $user}) WHERE x.pair IS NOT NULL RETURN x
  UNION ALL
  MATCH (x:Proposal {user: $user}) WHERE x.team IS NULL RETURN x
  UNION ALL
  MATCH (x:Reflection {user: $user}) RETURN x
  UNION ALL
  MATCH (a:Agent {user: $user})-[:HAS_SESSION]->(x:Session) WHERE a.id IS NOT NULL RETURN x
  UNION ALL
  MATCH (x:Handoff {user: $user}) RETURN x
  UNION ALL
  MATCH (x:ApiKey {user: $user}) RETURN x
  UNION ALL
  MATCH (x:AuditDigest {user: $user}) WHERE x.month IS NOT NULL RETURN x
  UNION ALL
  MATCH (:Reflection {user: $user})-[:HAS_ITEM]->(x:ReflectionItem) RETURN x
  UNION ALL
  MATCH (x:Sop {owner: $key}) WHERE x.domain IS NOT NULL RETURN x
  UNION ALL
  MATCH (s:Sop {owner: $key})-[:HAD]->(x:Revision) WHERE s.domain IS NOT NULL RETURN x
  UNION ALL
  MATCH (x:Event {stream: $user}) WHERE x.seq IS NOT NULL AND CASE x.audience WHEN $key THEN true ELSE x.audience STARTS WITH $key + '/' END RETURN x
}
WITH x
WHERE @holds(x)
RETURN @kind(x) AS label, count(*) AS nodes
UNION ALL
CALL () {
  MATCH (n:Note {user: $user})-[r]->() USING INDEX SEEK n:Note(user, status) WHERE n.status IS NOT NULL RETURN r
  UNION ALL
  MATCH (e:Entity {user: $user})-[r]->() WHERE e.key IS NOT NULL RETURN r
  UNION ALL
  MATCH (a:Agent {user: $user})-[:HAS_SESSION]->(:Session)-[r]->() WHERE a.id IS NOT NULL RETURN r
}
WITH r
WHERE @holds(r)
RETURN type(r) AS label, count(*) AS nodes
