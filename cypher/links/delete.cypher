// Removes a link.
MATCH ()-[r:LINKS_TO {id: $id}]->()
DELETE r
RETURN count(*) AS deleted
