// Tells how a procedure went: how often with success and without it, with its present words, as far as that is kept; who wrote it; and whether a success was told of by anybody who did not. The id is that of the procedure or of its proposal.
CALL () {
  MATCH (n:Note {id: $id})
  RETURN n
  UNION
  MATCH (:Proposal {id: $id})-[:ABOUT]->(n:Note)
  RETURN n
}
WITH n, CASE WHEN size(coalesce(n.sourceAgents, [])) > 0 THEN n.sourceAgents ELSE [coalesce(n.author, '')] END AS writers
RETURN CASE WHEN n:Skill THEN n.successCount ELSE size([at IN coalesce(n.helpedAt, []) WHERE at >= coalesce(n.wordedAt, at)]) END AS successes,
  CASE WHEN n:Skill THEN n.failureCount ELSE size([at IN coalesce(n.failedAt, []) WHERE at >= coalesce(n.wordedAt, at)]) END AS failures,
  [writer IN writers WHERE writer <> ''] AS writers,
  any(agent IN coalesce(n.workedFor, []) WHERE NOT agent IN writers) OR EXISTS {
    MATCH (r:Recall)-[x:RETURNED|CONSULTED]->(n)
    WHERE x.helpful AND r.at >= coalesce(n.wordedAt, r.at) AND (r.user <> n.user OR NOT coalesce(r.agent, '') IN writers)
  } AS elsewhere
