// Reads if the store can be used: migrations applied, indexes that are not online, whether the vector indexes are there. Those of the other slot of vectors do not count.
MATCH (m:Migration)
WITH count(m) AS migrations
CALL () {
  SHOW INDEXES YIELD name, state
  RETURN sum(CASE WHEN state <> 'ONLINE' AND NOT name IN ['note_embedding2', 'passage_embedding2'] THEN 1 ELSE 0 END) AS pending, sum(CASE WHEN name IN ['note_embedding', 'passage_embedding'] THEN 1 ELSE 0 END) = 2 AS vectors
}
RETURN migrations, pending, coalesce(vectors, false) AS vectors
