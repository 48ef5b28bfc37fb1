// Removes links that one actor made.
UNWIND $ids AS id
MATCH ()-[r:LINKS_TO {id: id}]->()
WHERE r.by = $actor
DELETE r
RETURN count(*) AS deleted
