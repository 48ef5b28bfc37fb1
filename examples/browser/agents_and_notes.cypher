// Which agents are there, and what did they write? With what readers said of it.
MATCH (u:User)-[:OWNS]->(a:Agent)
OPTIONAL MATCH (a)-[:WROTE]->(n:Note)
RETURN u.name AS user, a.id AS agent, a.role AS role, coalesce(a.domains, u.agentDomains, ['*']) AS domains, coalesce(a.canSeePrivate, u.agentsSeePrivate, false) AS seesPrivate, a.writes AS writes,
  count(n) AS notes, max(n.createdAt) AS newest, sum(size(coalesce(n.helpedAt, []))) AS helped, sum(size(coalesce(n.failedAt, []))) AS failed
ORDER BY notes DESC, agent LIMIT 100;
