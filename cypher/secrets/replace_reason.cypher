// Puts another reason into a link; a row comes only if it still has the one that was read. Its own lock comes first.
MATCH ()-[r:LINKS_TO {id: $id}]->()
SET r.touched = true
REMOVE r.touched
WITH r
WHERE r.reason = $was.reason
SET r.reason = $given.reason
RETURN $id AS id
