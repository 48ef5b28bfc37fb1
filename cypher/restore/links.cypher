// Links notes of a user, unless they are linked so or the id is another link's.
UNWIND $rows AS row
MATCH (s:Note {id: row.source})
WHERE s.user = $user
MATCH (t:Note {id: row.target})
WHERE t.user = $user AND s <> t
CALL (s, t, row) {
  WITH s, t, row
  WHERE NOT EXISTS { (s)-[:LINKS_TO {kind: row.properties.kind}]->(t) } AND NOT EXISTS { ()-[:LINKS_TO {id: row.properties.id}]->() }
  CREATE (s)-[r:LINKS_TO]->(t)
  SET r = row.properties
  RETURN r
}
RETURN r.id AS place
