// Keeps what recalls returned, each with its number among the recalls of its user, and with its question unless a note of its answer was destroyed meanwhile.
UNWIND $users AS row
MATCH (u:User {id: row.user})
SET u.recalls = coalesce(u.recalls, 0) + size(row.recalls)
WITH row, u.recalls - size(row.recalls) AS before
UNWIND range(1, size(row.recalls)) AS i
WITH row.user AS user, row.recalls[i - 1] AS recall, before + i AS cycle
CREATE (r:Recall {id: recall.id, user: user, agent: recall.agent, domain: recall.domain, cycle: cycle,
                  at: datetime(recall.at), strategy: recall.strategy, profile: recall.profile})
WITH r, recall
CALL (r, recall) {
  UNWIND range(1, size(recall.notes)) AS rank
  MATCH (n:Note {id: recall.notes[rank - 1]})
  CREATE (r)-[:RETURNED {rank: rank, score: recall.scores[rank - 1], tier: n.tier}]->(n)
  RETURN count(*) AS returned
}
SET r.query = CASE WHEN returned = size(recall.notes) THEN recall.query END
RETURN sum(returned) AS returned
