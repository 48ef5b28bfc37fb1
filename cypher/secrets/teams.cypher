// Lists the teams that a user leads, with their members, for a search for secrets in what they share.
MATCH (u:User {id: $user})-[:MEMBER_OF]->(t:Team)
WITH t, COLLECT {
  MATCH (t)<-[m:MEMBER_OF]-(member:User)
  RETURN member.id ORDER BY m.place LIMIT 10000
} AS members
WHERE members[0] = $user
RETURN t.id AS id, members ORDER BY id LIMIT 1000
