// Keeps the conflicts between notes of a user that are not there, unless the id is another's.
UNWIND $rows AS row
MATCH (a:Note {id: row.one})
WHERE a.user = $user
MATCH (b:Note {id: row.other})
WHERE b.user = $user AND NOT EXISTS { (:Conflict {user: $user, pair: row.properties.pair}) } AND NOT EXISTS { (:Conflict {id: row.properties.id}) }
CREATE (c:Conflict)
SET c = row.properties
CREATE (c)-[:BETWEEN]->(a)
CREATE (c)-[:BETWEEN]->(b)
RETURN c.id AS place
