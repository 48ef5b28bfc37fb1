// Opens a session of an agent, unless one of its sessions is open.
MATCH (a:Agent {user: $user, id: $agent})
SET a.touched = $now
REMOVE a.touched
WITH a
WHERE NOT EXISTS { (a)-[:HAS_SESSION]->(o:Session WHERE o.closedAt IS NULL) }
CREATE (a)-[:HAS_SESSION]->(s:Session {id: $id, user: $user, agent: $agent, task: $task, openedAt: $now, dropped: 0})
RETURN s.id AS id
