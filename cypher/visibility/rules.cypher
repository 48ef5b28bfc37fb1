// Lists a user's visibility rules.
MATCH (r:VisibilityRule {user: $user})
USING INDEX SEEK r:VisibilityRule(user, domain)
WHERE r.domain IS NOT NULL
RETURN r.domain AS domain, r.visibility AS visibility
ORDER BY domain
LIMIT 1000
