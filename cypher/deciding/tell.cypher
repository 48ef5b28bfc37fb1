// Keeps the wordings in which what a note says was told again.
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
CREATE (n)-[:TOLD_AS]->(w:Wording:System)
SET w = row.wording
RETURN count(w) AS told
