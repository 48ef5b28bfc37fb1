// Makes the visibility rules of a user that are not there; whoever writes by the rules of before is told by the version of the user's access.
MATCH (u:User {id: $user})
SET u.touched = $now
REMOVE u.touched
SET u.accessVersion = coalesce(u.accessVersion, 0) + 1
WITH u
UNWIND $rows AS row
MERGE (r:VisibilityRule {user: $user, domain: row.domain})
  ON CREATE SET r:System, r += row.properties, r.made = true
MERGE (u)-[:RULES]->(r)
WITH r, r.made AS made
REMOVE r.made
WITH r WHERE made
RETURN r.domain AS place
