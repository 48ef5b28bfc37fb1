// Makes the links of a write, each once for its kind and pair of notes.
UNWIND $rows AS row
MATCH (s:Note {id: row.source}) WHERE s.user = $user
MATCH (t:Note {id: row.target}) WHERE t.user = $user
CALL (s, t, row) {
  WITH s, t, row
  WHERE NOT EXISTS { (s)-[:LINKS_TO {kind: row.kind}]-(t) }
  CREATE (s)-[r:LINKS_TO {kind: row.kind, id: row.id, strength: row.strength, reason: row.reason, by: $actor, at: $now}]->(t)
  SET r.gave = row.gave
  RETURN r
}
RETURN count(r) AS links
