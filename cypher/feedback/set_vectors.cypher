// Gives judged questions that are still kept their vectors. Each one's own lock comes first.
UNWIND $rows AS row
MATCH (r:Recall {id: row.id})
SET r.touched = true
REMOVE r.touched
WITH r, row
WHERE r.asker IS NOT NULL AND r.query IS NOT NULL
CALL db.create.setNodeVectorProperty(r, 'embedding', row.vector)
RETURN count(r) AS written
