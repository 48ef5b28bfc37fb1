// Adds the texts of standard procedures that are not there. The newest one holds where the text that holds now came of an import, too: what was set here since stays, and what a file holds of later versions is left out.
UNWIND $rows AS row
CALL (row) {
  WITH row
  WHERE EXISTS { MATCH (s:Sop {owner: $key, domain: row.domain}) } OR COUNT { MATCH (s:Sop {owner: $key}) USING INDEX SEEK s:Sop(owner, domain) WHERE s.domain IS NOT NULL } < $most
  MERGE (s:Sop {owner: $key, domain: row.domain})
    ON CREATE SET s.version = 0, s.createdAt = row.at
  WITH s, row
  OPTIONAL MATCH (s)-[:HAD]->(there:Revision {version: row.version})
  OPTIONAL MATCH (s)-[:HAD]->(present:Revision {version: s.version})
  FOREACH (same IN CASE WHEN there.content = row.content AND there.at = row.at AND there.actor = row.actor THEN [there] ELSE [] END | SET same.imported = true)
  WITH s, row, there, s.version = 0 OR coalesce(present.imported, false) AS follows
  WHERE there IS NULL AND (follows OR row.version < s.version)
  CREATE (s)-[:HAD]->(:Revision:System {version: row.version, at: row.at, actor: row.actor, content: row.content, imported: true, changes: '{"content": true}'})
  FOREACH (x IN CASE WHEN row.version > s.version THEN [s] ELSE [] END | SET x.content = row.content, x.version = row.version, x.updatedAt = row.at)
  RETURN s.domain + '|' + toString(row.version) AS place
}
RETURN place
