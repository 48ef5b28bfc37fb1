// Puts notes into their episodes, in the order of when they happened; one row after the other.
UNWIND $rows AS row
MERGE (e:Episode {user: $user, key: row.episode})
  ON CREATE SET e.createdAt = $now
SET e.updatedAt = $now
WITH e, row
MATCH (n:Note {id: row.id})
CALL (e, n) {
  // Notes of the same step that have no place yet are passed over.
  OPTIONAL CALL (e, n) {
    MATCH (before:Note)
    USING INDEX SEEK before:Note(user, episode, happenedAt, id)
    WHERE before.user = n.user AND before.episode = n.episode AND before.happenedAt <= n.happenedAt AND before.id IS NOT NULL AND (before.happenedAt < n.happenedAt OR before.id < n.id)
      AND EXISTS { (before)-[:IN_EPISODE]->() }
    WITH before ORDER BY before.user DESC, before.episode DESC, before.happenedAt DESC, before.id DESC LIMIT 1
    RETURN before
  }
  OPTIONAL CALL (e, n) {
    MATCH (after:Note)
    USING INDEX SEEK after:Note(user, episode, happenedAt, id)
    WHERE after.user = n.user AND after.episode = n.episode AND after.happenedAt >= n.happenedAt AND after.id IS NOT NULL AND (after.happenedAt > n.happenedAt OR after.id > n.id)
      AND EXISTS { (after)-[:IN_EPISODE]->() }
    WITH after ORDER BY after.user, after.episode, after.happenedAt, after.id LIMIT 1
    RETURN after
  }
  OPTIONAL MATCH (before)-[old:NEXT]->(after)
  DELETE old
  FOREACH (x IN CASE WHEN before IS NULL THEN [] ELSE [before] END | CREATE (x)-[:NEXT]->(n))
  FOREACH (x IN CASE WHEN after IS NULL THEN [] ELSE [after] END | CREATE (n)-[:NEXT]->(x))
  CREATE (n)-[:IN_EPISODE]->(e)
}
RETURN count(*) AS chained
