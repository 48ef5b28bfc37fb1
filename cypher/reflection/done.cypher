// Reads the notes that an applied reflection archived, put into core memory or made, and whether each is as the reflection has left it: archived and neither brought back nor put away since, in the same block, or unchanged and grown into nothing.
MATCH (f:Reflection {id: $id})-[:HAS_ITEM]->(:ReflectionItem)-[m:CHANGED|PROMOTED|MADE]->(n:Note)
USING INDEX SEEK f:Reflection(id)
OPTIONAL MATCH (other:Note {curatedKey: m.curatedKey})
RETURN n.id AS id, n.version AS version, n.audience AS audience,
  type(m) AS kind, n.status AS status, m.status AS before, CASE WHEN other IS NULL AND n.version = m.version THEN m.curatedKey END AS curatedKey,
  CASE type(m)
    WHEN 'CHANGED' THEN n.status = 'ARCHIVED' AND NOT EXISTS { MATCH (n)-[:HAD]->(v:Revision) WHERE v.version > m.version AND v.changes CONTAINS '"status":' }
    WHEN 'PROMOTED' THEN coalesce(n.coreBlock = m.block, false)
    ELSE n.version = m.version AND COUNT { (n)-[:DERIVED_FROM]->() } = m.sources AND NOT EXISTS { (n)-[:LINKS_TO|TOLD_AS|SUPERSEDES]-() } AND NOT EXISTS { (n)<-[:DERIVED_FROM|BETWEEN|ABOUT|PROMOTED_FROM]-() }
  END AS asLeft
ORDER BY id, kind
