// Reads the names of agents.
UNWIND $agents AS agent
MATCH (a:Agent {user: agent.user, id: agent.id})
RETURN collect([a.user, a.id, a.name]) AS rows
