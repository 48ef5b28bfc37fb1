// Reads the visibility rules of a user from a place on (keyset).
MATCH (r:VisibilityRule {user: $user})
WHERE r.domain > $after
WITH r ORDER BY r.domain LIMIT $limit
RETURN r.domain AS place, r {.*} AS row
