// Destroys a page of what an owner has apart from notes: names, episodes, agents, sessions, questions, proposals, invitations by and to it and the like.
CALL () {
  MATCH (n:Entity {user: $owner}) WHERE n.key IS NOT NULL RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Recall {user: $owner}) WHERE n.cycle IS NOT NULL RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Conflict {user: $owner}) WHERE n.pair IS NOT NULL RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Proposal {user: $owner}) RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Reflection {user: $owner}) RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Session {user: $owner}) RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Handoff {user: $owner}) RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Episode {user: $owner}) WHERE n.key IS NOT NULL RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:VisibilityRule {user: $owner}) WHERE n.domain IS NOT NULL RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Sop {owner: $key}) WHERE n.domain IS NOT NULL RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:BoardEntry {team: $team}) WHERE n.key IS NOT NULL RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Agent {user: $owner}) WHERE n.id IS NOT NULL RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:AuditDigest {user: $owner}) WHERE n.month IS NOT NULL RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:ApiKey {user: $owner}) RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:LostFile {user: $owner}) WHERE n.id IS NOT NULL RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Invitation {user: $owner}) WHERE n.at IS NOT NULL RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Invitation {by: $owner}) WHERE n.at IS NOT NULL RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Invitation {team: $team}) WHERE n.user IS NOT NULL RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:InvitationBlock {user: $owner}) WHERE n.team IS NOT NULL AND n.inviter IS NOT NULL RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:InvitationBlock {inviter: $owner}) WHERE n.at IS NOT NULL RETURN n LIMIT $limit
}
WITH n LIMIT $limit
WITH n, @kind(n) AS label
OPTIONAL MATCH (n)-[:HAD|HAS_ITEM]->(part:Revision|ReflectionItem)
WITH n, label, collect(part) AS parts
FOREACH (part IN parts | DETACH DELETE part)
DETACH DELETE n
RETURN label, count(*) AS nodes
