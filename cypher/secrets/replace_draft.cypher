// Puts another text in the place of what was given for a local note; a row comes only if it still has the one that was read. The lock of the note comes first.
MATCH (n:Note {id: $id})
SET n.touched = true
REMOVE n.touched
WITH n
MATCH (:Session)-[h:HOLDS]->(n)
WHERE h.draft = $was.draft
SET h.draft = $given.draft
RETURN $id AS id
