// Sets the visibility rule of a domain.
MATCH (u:User {id: $user})
MERGE (r:VisibilityRule {user: $user, domain: $domain})
SET r.visibility = $visibility, r.updatedAt = $now
MERGE (u)-[:RULES]->(r)
RETURN r.domain AS domain, r.visibility AS visibility
