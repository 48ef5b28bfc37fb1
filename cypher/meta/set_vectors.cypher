// Gives notes new vectors and records the last note that has one.
MATCH (m:Meta {name: 'embedding'})
SET m.reached = $reached
WITH m
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
CALL db.create.setNodeVectorProperty(n, 'embedding', row.embedding)
RETURN count(*) AS notes
