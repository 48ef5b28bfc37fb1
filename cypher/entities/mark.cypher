// Marks what a note's old text mentioned and said, and what its old title named, so that what the new text does not say again can be swept away.
MATCH (n:Note {id: $id})
CALL (n) {
  MATCH (n)-[:MENTIONS]->(e:Entity)-[r:ALSO_CALLED {noteId: n.id}]->(:Entity)
  WHERE r.ofText OR e.key = $titleKey
  WITH DISTINCT r
  SET r.old = true
}
CALL (n) {
  MATCH (n)-[m:MENTIONS]->(:Entity)
  WHERE NOT m.given OR m.ofText OR $titleKey IN m.keys OR m.of = n.user + ':' + $titleKey
  SET m.old = true, m.wasGiven = CASE WHEN m.given THEN true END, m.count = 0, m.keys = [], m.names = [], m.given = false, m.ofText = null
}
CALL (n) {
  MATCH ()-[r:RELATES_TO {noteId: n.id}]->()
  WHERE r.ofText
  SET r.old = true
}
RETURN n.id AS id
