// Takes the name of a user out of a page of what others keep: who changed, verified, used or decided something.
CALL () {
  MATCH (n:Event|Revision|BoardEntry)
  WHERE n.actor IN $actors OR any(prefix IN $prefixes WHERE n.actor STARTS WITH prefix)
  RETURN n LIMIT $limit
  UNION
  MATCH (n:Proposal)
  WHERE n.decidedBy IN $actors OR any(prefix IN $prefixes WHERE n.decidedBy STARTS WITH prefix)
  RETURN n LIMIT $limit
  UNION
  MATCH (n:Knowledge|Skill)
  WHERE n.sourceUser = $user OR $user IN n.verifiedBy OR $user IN n.usedBy OR any(agent IN n.sourceAgents WHERE agent STARTS WITH $user + '/')
  RETURN n LIMIT $limit
  UNION
  MATCH (n:JobRun)
  WHERE n.place = $user OR any(prefix IN $places WHERE n.place STARTS WITH prefix)
  RETURN n LIMIT $limit
}
WITH n LIMIT $limit
SET n.actor = CASE WHEN n.actor IN $actors OR any(prefix IN $prefixes WHERE n.actor STARTS WITH prefix) THEN $nobody ELSE n.actor END,
    n.decidedBy = CASE WHEN n.decidedBy IN $actors OR any(prefix IN $prefixes WHERE n.decidedBy STARTS WITH prefix) THEN $nobody ELSE n.decidedBy END,
    n.sourceUser = CASE WHEN n.sourceUser = $user THEN null ELSE n.sourceUser END,
    n.verifiedBy = [user IN n.verifiedBy WHERE user <> $user],
    n.usedBy = [user IN n.usedBy WHERE user <> $user],
    n.sourceAgents = [agent IN n.sourceAgents WHERE NOT agent STARTS WITH $user + '/'],
    n.place = CASE WHEN n.place = $user OR any(prefix IN $places WHERE n.place STARTS WITH prefix) THEN null ELSE n.place END,
    n.counts = CASE WHEN n:JobRun AND n.status = 'RUNNING' THEN null ELSE n.counts END // without a place it begins, and counts, from the start
RETURN count(n) AS nodes
