// Takes the notes out of core memory again that a reflection has put there, unless they stand in another block by now. Each note's own lock comes first.
MATCH (f:Reflection {id: $id})-[:HAS_ITEM]->(:ReflectionItem)-[p:PROMOTED]->(n:Note)
USING INDEX SEEK f:Reflection(id)
WITH n, p ORDER BY n.id
SET n.touched = $now
REMOVE n.touched
WITH n, p
WHERE n.coreBlock = p.block
SET n.coreBlock = null, n.version = n.version + 1, n.updatedAt = $now
CREATE (n)-[:HAD]->(:Revision {version: n.version, at: $now, actor: $actor, content: n.content, changes: $changes})
RETURN count(*) AS demoted
