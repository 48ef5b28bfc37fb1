// Counts the teams that a user has registered.
OPTIONAL MATCH (u:User {id: $user})
RETURN COUNT { (u)-[:REGISTERED]->(:Team) } AS teams
