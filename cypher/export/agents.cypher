// Reads the agents of a user from a place on (keyset).
MATCH (a:Agent {user: $user})
WHERE a.id > $after
WITH a ORDER BY a.id LIMIT $limit
RETURN a.id AS place, a {.*} AS row
