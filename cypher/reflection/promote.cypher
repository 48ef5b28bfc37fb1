// Keeps which notes accepted items put into a block of core memory.
UNWIND $rows AS row
MATCH (i:ReflectionItem {id: row.item})
MATCH (n:Note {id: row.note})
CREATE (i)-[:PROMOTED {block: row.block}]->(n)
RETURN count(*) AS promoted
