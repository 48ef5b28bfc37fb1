// Notes why notes belong to core memory, or that they do not (null).
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
SET n.coreMark = row.mark
RETURN count(n) AS marked
