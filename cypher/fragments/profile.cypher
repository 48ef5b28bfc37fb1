// profile(a, u): an agent of a user with the profile that it has: its own, else that of all agents of the user without one.
a {.id, .name, .role, .writes, .status, .currentTask, .lastActiveAt, listed: a.domains IS NOT NULL, domains: coalesce(a.domains, u.agentDomains, ['*']), canSeePrivate: coalesce(a.canSeePrivate, u.agentsSeePrivate, false)}
