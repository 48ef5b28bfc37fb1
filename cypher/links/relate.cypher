// Makes links of a kind between notes that are of one audience, each pair once whichever way. Their locks come first, since two jobs may do it at the same time.
UNWIND $rows AS row
MATCH (s:Note {id: row.source}) WHERE s.audience = $audience
MATCH (t:Note {id: row.target}) WHERE t.audience = $audience
SET s.touched = $now, t.touched = $now
REMOVE s.touched, t.touched
WITH s, t, row
CALL (s, t, row) {
  WITH s, t, row
  WHERE NOT EXISTS { (s)-[:LINKS_TO {kind: $kind}]-(t) }
  CREATE (s)-[r:LINKS_TO {kind: $kind, id: row.id, strength: row.strength, reason: row.reason, by: $actor, at: $now}]->(t)
  RETURN r
}
RETURN count(r) AS links
