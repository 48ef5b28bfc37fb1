// Reads teams by id, each with its members in the order in which they came, and those who are invited, also if they have declined: nobody is told of that.
UNWIND $ids AS id
MATCH (t:Team {id: id})
RETURN t.id AS id, t.name AS name, t.version AS version, t.joined AS joined, COLLECT {
  MATCH (t)<-[m:MEMBER_OF]-(u:User)
  RETURN u.id ORDER BY m.place LIMIT 200
} AS members, COLLECT {
  MATCH (i:Invitation {team: id})
  USING INDEX SEEK i:Invitation(team, user)
  WHERE i.user IS NOT NULL AND i.open AND i.at > $since AND EXISTS { (:User {id: i.by})-[:MEMBER_OF]->(t) }
  RETURN i.user ORDER BY i.user LIMIT 200
} AS invited
LIMIT 100
