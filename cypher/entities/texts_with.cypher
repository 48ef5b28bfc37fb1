// Finds a user's notes whose text holds a phrase, with the names they mention; for each of several phrases.
UNWIND $rows AS row
CALL (row) {
  CALL db.index.fulltext.queryNodes('note_text', row.lucene, {limit: $limit}) YIELD node
  WHERE node.user = $user AND NOT node.id IN $exceptIds
  RETURN node
}
RETURN row.key AS key, node.id AS id, node.title AS title, node.content AS content,
  reduce(all = [], m IN [(node)-[r:MENTIONS]->(:Entity) | r.keys] | all + m)[..200] AS mentioned
