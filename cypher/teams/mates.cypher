// Reads those of some users who are members of one of the given teams.
UNWIND $ids AS id
MATCH (u:User {id: id})
USING INDEX SEEK u:User(id)
WHERE EXISTS { (u)-[:MEMBER_OF]->(t:Team) WHERE t.id IN $teams }
RETURN u {.id, .name} AS user
LIMIT 1000
