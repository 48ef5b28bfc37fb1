// Reads a recall of a user, and of one agent where one is given: the readable notes that it returned, or found in a memory that others share by now, and the feedback on each.
MATCH (r:Recall {id: $recall})
WHERE r.user = $user AND ($agent IS NULL OR r.agent = $agent)
RETURN r.helpful AS helpful, r.query AS query, r.user AS user, r.agent AS agent, COLLECT {
  MATCH (r)-[x:RETURNED|CONSULTED]->(n:Note)
  WHERE n.audience IN CASE WHEN x:CONSULTED THEN $shared ELSE $audiences END AND n.expiresAt > $now
  RETURN {id: n.id, user: n.user, helpful: x.helpful, audience: n.audience, domain: n.domain, consulted: x:CONSULTED} ORDER BY x.rank
} AS notes
