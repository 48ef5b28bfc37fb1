// Finds a user's notes whose text holds a phrase, with the names they mention; for each of several phrases.
UNWIND $rows AS row
CALL (row) {
  CALL db.index.fulltext.queryNodes('note_text', row.lucene, {limit: $limit}) YIELD node
  WHERE node.user = $user
  RETURN node
}
RETURN row.key AS key, node.id AS id, node.title AS title, node.content AS content,
  [(node)-[:MENTIONS]->(e:Entity) | e.key][..1000] AS mentioned
