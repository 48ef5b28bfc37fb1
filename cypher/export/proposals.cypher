// Reads the proposals of a user and its agents, from a place on (keyset).
MATCH (p:Proposal {user: $user})
WHERE p.id > $after AND p.expiresAt > $now
WITH p ORDER BY p.id LIMIT $limit
RETURN p.id AS place, p {.*, embedding: null, embedding2: null,
  about: COLLECT { MATCH (p)-[:ABOUT]->(n:Note) WHERE n.user = $user AND n.expiresAt > $now RETURN n.id LIMIT 1 },
  became: COLLECT { MATCH (p)-[:BECAME]->(n:Note) WHERE n.user = $user AND n.expiresAt > $now RETURN n.id LIMIT 1 },
  contradicts: COLLECT { MATCH (p)-[:CONTRADICTS]->(o:Proposal) WHERE o.user = $user WITH o ORDER BY o.id LIMIT 100 RETURN o.id }
} AS row
