// Gives open proposals that still say the same their vectors. Each one's own lock comes first.
UNWIND $rows AS row
MATCH (p:Proposal {id: row.id})
SET p.touched = true
REMOVE p.touched
WITH p, row
WHERE p.content = row.content
CALL db.create.setNodeVectorProperty(p, 'embedding', row.vector)
RETURN count(p) AS written
