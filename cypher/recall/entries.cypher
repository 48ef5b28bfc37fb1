// Reads the newest tracked recalls of a user, of one agent where one is given, with those of their notes that may be read.
MATCH (r:Recall {user: $user})
USING INDEX SEEK r:Recall(user, cycle)
WHERE r.cycle > 0 AND ($agent IS NULL OR r.agent = $agent)
WITH r ORDER BY r.cycle DESC LIMIT $limit
RETURN collect({
  at: r.at.epochMillis, domain: r.domain, cycle: r.cycle,
  notes: COLLECT {
    MATCH (r)-[x:RETURNED]->(n:Note)
    WHERE @readable(n)
    RETURN n.id ORDER BY x.rank
  }
}) AS rows
