// Ends the erasure of a user: the teams that nobody else was in go, and the last node that names the user.
MATCH (e:Erasure {id: $user})
CALL (e) {
  MATCH (t:Team)
  WHERE t.id IN e.teams AND NOT EXISTS { (t)<-[:MEMBER_OF]-() }
  DETACH DELETE t
}
DETACH DELETE e
