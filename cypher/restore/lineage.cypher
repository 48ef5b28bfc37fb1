// Tells which notes of a user took the place of which or derive from which, where that is not told.
UNWIND $rows AS row
MATCH (n:Note {id: row.note})
WHERE n.user = $user
MATCH (o:Note {id: row.of})
WHERE o.user = $user AND n <> o
CALL (n, o, row) {
  WITH n, o, row
  WHERE row.how = 'SUPERSEDES' AND NOT EXISTS { (n)-[:SUPERSEDES]->(o) }
  CREATE (n)-[r:SUPERSEDES]->(o)
  SET r = row.properties
  RETURN r
  UNION ALL
  WITH n, o, row
  WHERE row.how = 'DERIVED_FROM' AND NOT EXISTS { (n)-[:DERIVED_FROM]->(o) }
  CREATE (n)-[r:DERIVED_FROM]->(o)
  SET r = row.properties
  RETURN r
}
RETURN n.id AS place
