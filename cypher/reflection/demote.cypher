// Takes the notes out of core memory again that a reflection has put there, unless they stand in another block by now.
MATCH (:Reflection {id: $id})-[:HAS_ITEM]->(:ReflectionItem)-[p:PROMOTED]->(n:Note)
WHERE n.coreBlock = p.block
SET n.coreBlock = null, n.version = n.version + 1, n.updatedAt = $now
CREATE (n)-[:HAD]->(:Revision {version: n.version, at: $now, actor: $actor, content: n.content, changes: $changes})
RETURN count(*) AS demoted
