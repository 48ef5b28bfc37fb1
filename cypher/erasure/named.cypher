// Counts by label what names a user: what it owns, and where others keep who changed, verified, used or decided something, invited somebody, or had what was found with them.
CALL () {
  MATCH (n:User {id: $user}) RETURN n
  UNION ALL
  MATCH (n:Agent|VisibilityRule|Note|Entity|Episode|Recall|Conflict|Proposal|Reflection|Session|Handoff|ApiKey|AuditDigest {user: $user}) RETURN n
  UNION ALL
  MATCH (n:Sop {owner: $key}) RETURN n
  UNION ALL
  MATCH (n:Audience {owner: $user}) RETURN n
  UNION ALL
  MATCH (n:Stream {name: $user}) RETURN n
  UNION ALL
  MATCH (n:JobRun) WHERE n.place = $user OR any(prefix IN $places WHERE n.place STARTS WITH prefix) RETURN n
  UNION ALL
  MATCH (n:Event|Revision|BoardEntry|Proposal)
  WHERE n.stream = $user OR n.actor IN $actors OR n.decidedBy IN $actors OR any(prefix IN $prefixes WHERE n.actor STARTS WITH prefix OR n.decidedBy STARTS WITH prefix)
  RETURN n
  UNION ALL
  MATCH (n:LostFile {user: $user}) RETURN n
  UNION ALL
  MATCH (n:Invitation) WHERE n.by = $user OR n.user = $user RETURN n
  UNION ALL
  MATCH (n:InvitationBlock) WHERE n.inviter = $user OR n.user = $user RETURN n
  UNION ALL
  MATCH (n:Note|Wording|Revision)
  WHERE any(found IN $found WHERE n.metadata CONTAINS found.mark OR n.changes CONTAINS found.mark)
  RETURN n
  UNION ALL
  MATCH (n:Knowledge|Skill)
  WHERE n.sourceUser = $user OR $user IN n.verifiedBy OR $user IN n.usedBy OR any(agent IN n.sourceAgents WHERE agent STARTS WITH $user + '/')
  RETURN n
}
WITH DISTINCT n
RETURN @kind(n) AS label, count(n) AS nodes
ORDER BY label
