// Begins to erase a user: from now on nobody is served as that user, no job finds it, it is in no team and its keys are void. What names it goes page by page after that, with the teams that nobody else is in. The lock of the stream comes first: what is being written as the user ends before.
MERGE (s:Stream {name: $user})
  ON CREATE SET s:System, s.seq = 0
SET s.locked = true
WITH s
OPTIONAL MATCH (u:User {id: $user})
SET u.touched = $now
REMOVE u.touched
WITH u
OPTIONAL MATCH (old:Erasure {id: $user})
FOREACH (x IN CASE WHEN u IS NOT NULL AND old IS NULL THEN [u] ELSE [] END | SET x:Erasure:System REMOVE x:User)
FOREACH (x IN CASE WHEN u IS NOT NULL AND old IS NOT NULL THEN [u] ELSE [] END | DETACH DELETE x)
MERGE (e:Erasure {id: $user})
  ON CREATE SET e:System
SET e.at = coalesce(e.at, $now), e.teams = coalesce(e.teams, [])
WITH e
CALL (e) {
  MATCH (e)-[m:MEMBER_OF]->(t:Team)
  SET t.version = t.version + 1,
      e.teams = e.teams + CASE WHEN EXISTS { (t)<-[:MEMBER_OF]-(:User) } THEN [] ELSE [t.id] END
  DELETE m
}
CALL (e) {
  MATCH (e)-[s:SHARES]->(:Team)
  DELETE s
}
CALL (e) {
  MATCH (k:ApiKey {user: e.id})
  DETACH DELETE k
}
RETURN e.teams AS teams
