// Reads if the store can be used: migrations applied, indexes that are not online, whether the vector index is there.
MATCH (m:Migration)
WITH count(m) AS migrations
CALL () {
  SHOW INDEXES YIELD name, state
  RETURN sum(CASE WHEN state <> 'ONLINE' THEN 1 ELSE 0 END) AS pending, max(CASE WHEN name = 'note_embedding' THEN true ELSE false END) AS vectors
}
RETURN migrations, pending, coalesce(vectors, false) AS vectors
