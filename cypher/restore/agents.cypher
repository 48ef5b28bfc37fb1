// Makes the agents of a user that are not there; whoever writes by the profiles of before is told by the version of the user's access.
MATCH (u:User {id: $user})
SET u.touched = $now
REMOVE u.touched
SET u.accessVersion = coalesce(u.accessVersion, 0) + 1
WITH u
UNWIND $rows AS row
MERGE (a:Agent {user: $user, id: row.id})
  ON CREATE SET a += row.properties, a.made = true
MERGE (u)-[:OWNS]->(a)
WITH a, a.made AS made
REMOVE a.made
WITH a WHERE made
RETURN a.id AS place
