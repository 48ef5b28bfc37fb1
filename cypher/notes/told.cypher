// Reads what the writer gave of a note in addition to its text: tags and keywords (null: nobody noted which), the names it introduces, and what it says of them.
MATCH (n:Note {id: $id})
WHERE n.audience = $audience
CALL (n) {
  MATCH (n)-[m:MENTIONS]->(:Entity)
  WHERE m.given AND m.of IS NULL AND m.ofText IS NULL
  WITH m LIMIT 1000
  RETURN collect({keys: m.keys, names: m.names}) AS names
}
CALL (n) {
  MATCH (s:Entity)-[r:RELATES_TO {noteId: n.id}]->(o:Entity)
  WHERE r.ofText IS NULL
  MATCH (n)-[one:MENTIONS]->(s)
  MATCH (n)-[other:MENTIONS]->(o)
  WITH one, r, other LIMIT 1000
  RETURN collect({subject: one.names[0], predicate: r.predicate, object: other.names[0]}) AS relations
}
RETURN n.givenTags AS tags, n.givenKeywords AS keywords, names, relations
