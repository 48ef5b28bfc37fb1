// Takes away that rules hold a note to be a copy of another.
MATCH (:Note {id: $one})-[c:COPY_OF]-(:Note {id: $other})
DELETE c
RETURN count(*) AS dropped
