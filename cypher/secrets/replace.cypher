// Puts other texts into a proposal, a session, an agent, a handoff, a question, a procedure or one of its versions, a post or an event; a row comes only if it still has those that were read. Its own lock comes first.
CALL () {
  MATCH (x:Proposal {id: $id}) WHERE $label = 'Proposal' RETURN x
  UNION ALL
  MATCH (x:Session {id: $id}) WHERE $label = 'Session' RETURN x
  UNION ALL
  MATCH (x:Agent {user: $owner, id: $id}) WHERE $label = 'Agent' RETURN x
  UNION ALL
  MATCH (x:Handoff {id: $id}) WHERE $label = 'Handoff' RETURN x
  UNION ALL
  MATCH (x:Recall {id: $id}) WHERE $label = 'Recall' RETURN x
  UNION ALL
  MATCH (x:Sop {owner: $owner, domain: $id}) WHERE $label = 'Sop' RETURN x
  UNION ALL
  MATCH (:Sop {owner: $owner, domain: $id})-[:HAD]->(x:Revision {version: $part}) WHERE $label = 'Revision' RETURN x
  UNION ALL
  MATCH (x:BoardEntry {team: $owner, scope: $part, key: $id}) WHERE $label = 'BoardEntry' RETURN x
  UNION ALL
  MATCH (x:Event {id: $id}) WHERE $label = 'Event' RETURN x
}
SET x.touched = true
REMOVE x.touched
WITH x
WHERE all(name IN keys($was) WHERE x[name] = $was[name])
SET x += $given
RETURN $id AS id
