// Gives a row only if nothing that jobs have made of a note has the readers any more that the note had. The note's lock is held already.
CALL () {
  MATCH (n:Note {id: $id})((:Note)<-[d:DERIVED_FROM]-(:Note) WHERE d.by IS NOT NULL){1,10}(m:Note)
  WITH m.audience AS audience
  WHERE audience = $audience
  RETURN count(*) AS others
}
WITH others
WHERE others = 0
RETURN others
