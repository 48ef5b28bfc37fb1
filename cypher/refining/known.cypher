// Reads what a note says already of entities: their names, whether it introduces them, and their relations.
MATCH (n:Note {id: $id})
WHERE n.audience = $audience
CALL (n) {
  MATCH (n)-[m:MENTIONS]->(:Entity)
  WITH m LIMIT 1000
  RETURN collect({keys: m.keys, given: m.given}) AS names
}
CALL (n) {
  MATCH (s:Entity)-[r:RELATES_TO {noteId: n.id}]->(o:Entity)
  MATCH (n)-[one:MENTIONS]->(s)
  MATCH (n)-[other:MENTIONS]->(o)
  WITH one, r, other LIMIT 1000
  RETURN collect({subject: one.keys, predicate: r.predicate, object: other.keys}) AS relations
}
RETURN names, relations
