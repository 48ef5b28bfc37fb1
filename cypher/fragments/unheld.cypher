// unheld(n): takes away what rules hold of a note, and of the entities that it mentions by what its readers may read, as it is not what they were held by any more. What still holds is held again, from then on, by the next runs of resolve_duplicates.
CALL (n) {
  MATCH (n)-[:MENTIONS]->(:Entity)-[s:SAME_AS {audience: n.audience}]-(:Entity)
  DELETE s
}
CALL (n) {
  MATCH (n)-[c:COPY_OF]-(:Note)
  DELETE c
}
