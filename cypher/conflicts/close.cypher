// Records how conflicts ended, and those that a sweep found and ended at once; a row comes only if none had ended before. What rules held of the two goes. A text of a note that clashed with it, and that stays in its place, is no part of it any more.
UNWIND $rows AS row
MERGE (c:Conflict {user: $user, pair: row.pair})
  ON CREATE SET c.id = row.id, c.at = $now, c.similarity = row.similarity, c.open = true
WITH c, row
WHERE c.open
SET c.verdict = row.verdict, c.open = row.open, c.resolution = row.resolution, c.resolvedBy = $actor, c.resolvedAt = $now
WITH c, row
CALL (c, row) {
  UNWIND [row.one, row.other] AS id
  MATCH (n:Note {id: id})
  MERGE (c)-[:BETWEEN]->(n)
}
CALL (row) {
  MATCH (:Note {id: row.one})-[d:DERIVED_FROM {by: $clashed}]->(:Note {id: row.other})
  WHERE NOT row.open
  DELETE d
}
CALL (row) {
  MATCH (:Note {id: row.one})-[copy:COPY_OF]-(:Note {id: row.other})
  DELETE copy
}
WITH count(*) AS closed
WHERE closed = size($rows)
RETURN closed
