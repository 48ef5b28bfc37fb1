// Gives a row unless the user in person has put a note away. Its own lock comes first.
MATCH (n:Note {id: $id})
SET n.touched = $now
REMOVE n.touched
WITH n
WHERE NOT (n.status = 'ARCHIVED' AND n.archivedBy IS NULL)
RETURN n.id AS id
