// Brings back the notes that a reflection archived and that nobody brought back or put away since, as they were. Each note's own lock comes first.
MATCH (f:Reflection {id: $id})-[:HAS_ITEM]->(:ReflectionItem)-[c:CHANGED]->(n:Note)
USING INDEX SEEK f:Reflection(id)
WITH n, c ORDER BY n.id
SET n.touched = $now
REMOVE n.touched
WITH n, c
WHERE n.status = 'ARCHIVED'
  AND NOT EXISTS { MATCH (n)-[:HAD]->(v:Revision) WHERE v.version > c.version AND v.changes CONTAINS '"status":' }
OPTIONAL MATCH (other:Note {curatedKey: c.curatedKey})
SET n.status = c.status, n.curatedKey = CASE WHEN other IS NULL AND n.version = c.version THEN c.curatedKey END,
    n.version = n.version + 1, n.updatedAt = $now
FOREACH (current IN CASE WHEN n.status = 'ACTIVE' AND n.tier <> 'LONG_TERM' AND n.validFrom <= datetime('0001-01-02T00:00:00Z') AND n.validTo >= datetime('9999-12-30T00:00:00Z') AND n.expiresAt >= datetime('9999-12-30T00:00:00Z') THEN [n] ELSE [] END | SET current:Current)
CREATE (n)-[:HAD]->(:Revision {version: n.version, at: $now, actor: $actor, content: n.content, changes: $changes})
WITH n
CALL (n) {
  MATCH ()-[r:RELATES_TO {noteId: n.id}]->()
  SET r.status = n.status
}
RETURN count(*) AS restored
