// Writes relationships as a backup has them, between nodes that were written before.
UNWIND $rows AS row
MATCH (a)
WHERE elementId(a) = row.start
MATCH (b)
WHERE elementId(b) = row.finish
CREATE (a)-[r:$(row.type)]->(b)
SET r = row.properties
RETURN count(r) AS added
