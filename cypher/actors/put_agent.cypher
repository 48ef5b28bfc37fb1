// Registers an agent of a user, or sets what is given of its profile.
MATCH (u:User {id: $user})
MERGE (a:Agent {user: $user, id: $id})
  ON CREATE SET a.name = $id, a.role = 'WORKER', a.domains = ['*'], a.canSeePrivate = false,
    a.writes = 'DIRECT', a.status = 'idle', a.createdAt = $now
MERGE (u)-[:OWNS]->(a)
SET a += $given
RETURN a {.id, .name, .role, .domains, .canSeePrivate, .writes, .status, .currentTask, .lastActiveAt} AS agent
