// Gives notes that did not change meanwhile their vectors and passages. Each note's own lock comes first.
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
SET n.touched = true
REMOVE n.touched
WITH n, row
WHERE n.version = row.version
CALL db.create.setNodeVectorProperty(n, 'embedding', row.vector)
@parted(n, row)
RETURN count(n) AS notes
