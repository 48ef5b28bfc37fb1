// Sets the visibility rule of a domain; whoever writes by the rules of before is told by the version of the user's access.
MATCH (u:User {id: $user})
SET u.touched = $now
REMOVE u.touched
SET u.accessVersion = coalesce(u.accessVersion, 0) + 1
MERGE (r:VisibilityRule {user: $user, domain: $domain})
  ON CREATE SET r:System
SET r.visibility = $visibility, r.updatedAt = $now
MERGE (u)-[:RULES]->(r)
RETURN r.domain AS domain, r.visibility AS visibility
