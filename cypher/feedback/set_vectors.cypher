// Gives judged questions their vectors of another embedding model.
UNWIND $rows AS row
MATCH (r:Recall {id: row.id})
WHERE r.model IS NOT NULL
SET r.model = $model
WITH r, row
CALL db.create.setNodeVectorProperty(r, 'embedding', row.embedding)
RETURN count(r) AS written
