// Puts another reason, or the name of another tag, into a link; a row comes only if it still has the one that was read. Its own lock comes first.
MATCH ()-[r:LINKS_TO {id: $id}]->()
SET r.touched = true
REMOVE r.touched
WITH r
WHERE all(name IN keys($was) WHERE r[name] = $was[name])
SET r += $given
RETURN $id AS id
