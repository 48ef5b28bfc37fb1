// Tells whether the store can be used: migrations applied, indexes that are not online.
MATCH (m:Migration)
WITH count(m) AS migrations
CALL () {
  SHOW INDEXES YIELD state WHERE state <> 'ONLINE'
  RETURN count(*) AS pending
}
RETURN migrations, pending
