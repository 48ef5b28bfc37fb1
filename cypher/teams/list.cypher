// Reads teams by id, each with its members in the order in which they came, and those who are invited.
UNWIND $ids AS id
MATCH (t:Team {id: id})
RETURN t.id AS id, t.name AS name, t.version AS version, COLLECT {
  MATCH (t)<-[m:MEMBER_OF]-(u:User)
  RETURN u.id ORDER BY m.place LIMIT 200
} AS members, COLLECT {
  MATCH (t)<-[:INVITED_TO]-(u:User)
  RETURN u.id ORDER BY u.id LIMIT 200
} AS invited
LIMIT 100
