// Registers an agent of a user, or sets what is given of its profile; where that changes what it may read or write, the version of the user's access tells writes that go on.
MATCH (u:User {id: $user})
SET u.touched = $now
REMOVE u.touched
SET u.accessVersion = coalesce(u.accessVersion, 0) + CASE WHEN $rights THEN 1 ELSE 0 END
MERGE (a:Agent {user: $user, id: $id})
  ON CREATE SET a.name = $id, a.role = 'WORKER', a.writes = 'DIRECT', a.status = 'idle', a.createdAt = $now
MERGE (u)-[:OWNS]->(a)
SET a += $given
FOREACH (x IN CASE WHEN $listed THEN [a] ELSE [] END | SET x.domains = coalesce(x.domains, u.agentDomains, ['*']), x.canSeePrivate = coalesce(x.canSeePrivate, false))
RETURN @profile(a, u) AS agent
