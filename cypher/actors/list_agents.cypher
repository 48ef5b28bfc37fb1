// Lists a user's agents by id.
MATCH (a:Agent {user: $user})
USING INDEX SEEK a:Agent(user, id)
WHERE a.id IS NOT NULL
RETURN a {.id, .name, .role, .domains, .canSeePrivate, .writes, .status, .currentTask, .lastActiveAt} AS agent
ORDER BY a.id
LIMIT $limit
