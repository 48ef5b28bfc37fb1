// Puts notes into a block of core memory, as accepted items say.
UNWIND $rows AS row
MATCH (i:ReflectionItem {id: row.item})
MATCH (n:Note {id: row.note})
CREATE (i)-[:PROMOTED {block: row.block}]->(n)
SET n.coreBlock = row.block, n.version = n.version + 1, n.updatedAt = $now
CREATE (n)-[:HAD]->(:Revision {version: n.version, at: $now, actor: $actor, content: n.content, changes: row.changes})
RETURN count(*) AS promoted
