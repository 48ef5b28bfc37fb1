// Puts notes into their episodes, in the order of when they happened; one row after the other.
UNWIND $rows AS row
MERGE (e:Episode {user: $user, key: row.episode})
  ON CREATE SET e.createdAt = $now
SET e.updatedAt = $now
WITH e, row
MATCH (n:Note {id: row.id})
CALL (e, n) {
  OPTIONAL MATCH (before:Note)-[:IN_EPISODE]->(e)
  WHERE before.happenedAt < n.happenedAt OR (before.happenedAt = n.happenedAt AND before.id < n.id)
  WITH e, n, before ORDER BY before.happenedAt DESC, before.id DESC LIMIT 1
  OPTIONAL MATCH (after:Note)-[:IN_EPISODE]->(e)
  WHERE after.happenedAt > n.happenedAt OR (after.happenedAt = n.happenedAt AND after.id > n.id)
  WITH e, n, before, after ORDER BY after.happenedAt, after.id LIMIT 1
  OPTIONAL MATCH (before)-[old:NEXT]->(after)
  DELETE old
  FOREACH (x IN CASE WHEN before IS NULL THEN [] ELSE [before] END | CREATE (x)-[:NEXT]->(n))
  FOREACH (x IN CASE WHEN after IS NULL THEN [] ELSE [after] END | CREATE (n)-[:NEXT]->(x))
  CREATE (n)-[:IN_EPISODE]->(e)
}
RETURN count(*) AS chained
