// Keeps the recalls of a user that are not there, numbered behind those that are, with what they returned, unless the id is another's.
MATCH (u:User {id: $user})
SET u.touched = $now
REMOVE u.touched
WITH u
UNWIND $rows AS row
WITH u, row
WHERE NOT EXISTS { (:Recall {id: row.properties.id}) }
SET u.recalls = CASE WHEN coalesce(u.recalls, 0) < row.properties.cycle THEN row.properties.cycle ELSE u.recalls END
CREATE (r:Recall:System)
SET r = row.properties
WITH r, row
CALL (r, row) {
  UNWIND row.returned AS each
  MATCH (n:Note {id: each.note})
  WHERE n.user = $user
  CREATE (r)-[x:RETURNED]->(n)
  SET x = each.properties
}
RETURN r.id AS place
