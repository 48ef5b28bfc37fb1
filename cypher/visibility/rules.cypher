// Lists a user's visibility rules.
MATCH (r:VisibilityRule {user: $user})
RETURN r.domain AS domain, r.visibility AS visibility
ORDER BY domain
LIMIT 1000
