// Removes a link; no row comes when it is gone already.
MATCH ()-[r:LINKS_TO {id: $id}]->()
WITH r, r.id AS id
DELETE r
RETURN id
