// Adds the texts of standard procedures that are not there; the newest one holds.
UNWIND $rows AS row
MERGE (s:Sop {owner: $key, domain: row.domain})
  ON CREATE SET s.version = 0, s.createdAt = row.at
WITH s, row
WHERE NOT EXISTS { (s)-[:HAD]->(:Revision {version: row.version}) }
CREATE (s)-[:HAD]->(:Revision {version: row.version, at: row.at, actor: row.actor, content: row.content, changes: '{"content": true}'})
FOREACH (x IN CASE WHEN row.version > s.version THEN [s] ELSE [] END | SET x.content = row.content, x.version = row.version, x.updatedAt = row.at)
RETURN s.domain + '|' + toString(row.version) AS place
