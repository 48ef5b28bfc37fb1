// Keeps what recalls returned.
UNWIND $rows AS row
CREATE (r:Recall {id: row.id, user: row.user, agent: row.agent, query: row.query, at: row.at, strategy: row.strategy, profile: row.profile})
WITH r, row
UNWIND row.hits AS hit
MATCH (n:Note {id: hit.id})
CREATE (r)-[:RETURNED {rank: hit.rank, score: hit.score}]->(n)
RETURN count(*) AS returned
