// Reads a recall of a user, and of one agent where one is given: the readable notes that it returned, and what was found of each.
MATCH (r:Recall {id: $recall})
WHERE r.user = $user AND ($agent IS NULL OR r.agent = $agent)
RETURN r.helpful AS helpful, COLLECT {
  MATCH (r)-[x:RETURNED]->(n:Note)
  WHERE n.audience IN $audiences AND n.expiresAt > $now
  RETURN {id: n.id, helpful: x.helpful, audience: n.audience, domain: n.domain} ORDER BY x.rank
} AS notes
