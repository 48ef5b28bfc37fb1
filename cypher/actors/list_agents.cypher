// Lists a user's agents by id.
MATCH (u:User {id: $user})
MATCH (a:Agent {user: $user})
USING INDEX SEEK a:Agent(user, id)
WHERE a.id IS NOT NULL
RETURN @profile(a, u) AS agent
ORDER BY a.id
LIMIT $limit
