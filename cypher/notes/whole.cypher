// Gives a row only if these are all that jobs have made of notes that are to be destroyed.
CALL () {
  UNWIND $ids AS id
  MATCH (:Note {id: id})<-[d:DERIVED_FROM]-(m:Note)
  WHERE d.by IS NOT NULL AND NOT m.id IN $ids
  RETURN count(m) AS others
}
WITH others
WHERE others = 0
RETURN others
