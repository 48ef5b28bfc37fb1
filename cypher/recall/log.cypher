// Keeps what recalls returned, each with its number among the recalls of its user, and with its question unless a note of its answer was destroyed meanwhile. What was found in a memory that others share is kept apart: it is no use of it.
UNWIND $users AS row
MATCH (u:User {id: row.user})
SET u.recalls = coalesce(u.recalls, 0) + size(row.recalls)
WITH row, u.recalls - size(row.recalls) AS before
UNWIND range(1, size(row.recalls)) AS i
WITH row.user AS user, row.recalls[i - 1] AS recall, before + i AS cycle
CREATE (r:Recall:System {id: recall.id, user: user, agent: recall.agent, domain: recall.domain, cycle: cycle,
                  at: datetime(recall.at), strategy: recall.strategy, profile: recall.profile, session: recall.session})
WITH r, recall
CALL (r, recall) {
  UNWIND range(1, size(recall.notes)) AS rank
  MATCH (n:Note {id: recall.notes[rank - 1]})
  FOREACH (score IN CASE WHEN recall.consulted THEN [] ELSE [recall.scores[rank - 1]] END |
    CREATE (r)-[:RETURNED {rank: rank, score: score, tier: n.tier}]->(n))
  FOREACH (score IN CASE WHEN recall.consulted THEN [recall.scores[rank - 1]] ELSE [] END |
    CREATE (r)-[:CONSULTED {rank: rank, score: score}]->(n))
  RETURN count(*) AS returned
}
SET r.query = CASE WHEN returned = size(recall.notes) THEN recall.query END
RETURN sum(returned) AS returned
