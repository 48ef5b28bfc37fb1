// Finds a user's notes whose text holds a phrase, with the names they mention; for each of several phrases of names that are new, or were only known with capitals.
UNWIND $rows AS row
OPTIONAL MATCH (known:Entity {user: $user, key: row.key})
WITH row, known
WHERE known IS NULL OR (known.cased AND NOT row.cased)
CALL (row) {
  CALL db.index.fulltext.queryNodes('note_text', row.lucene, {limit: $limit}) YIELD node
  WHERE node.user = $user
  RETURN node
}
RETURN row.key AS key, node.id AS id, node.title AS title, node.content AS content,
  [(node)-[:MENTIONS]->(e:Entity) | e.key][..1000] AS mentioned
