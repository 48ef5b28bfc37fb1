// Keeps the sessions of a user's agents that are not there, with what came of them, unless the id is another's.
UNWIND $rows AS row
MATCH (a:Agent {user: $user, id: row.agent})
WHERE NOT EXISTS { (:Session {id: row.properties.id}) }
CREATE (a)-[:HAS_SESSION]->(s:Session)
SET s = row.properties
WITH s, row
CALL (s, row) {
  UNWIND row.promoted AS each
  MATCH (n:Note {id: each.note})
  WHERE n.user = $user
  CREATE (s)-[:PROMOTED {added: each.added, at: each.at}]->(n)
}
RETURN s.id AS place
