// Removes the visibility rule of a domain, if there is one; whoever writes by the rules of before is told by the version of the user's access.
MATCH (u:User {id: $user})
SET u.touched = $now
REMOVE u.touched
WITH u
MATCH (u)-[:RULES]->(r:VisibilityRule {user: $user, domain: $domain})
SET u.accessVersion = coalesce(u.accessVersion, 0) + 1
DETACH DELETE r
RETURN $domain AS domain
