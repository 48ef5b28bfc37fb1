// Reads what a session holds in its local memory, each note with what its writer gave.
MATCH (s:Session {id: $id, user: $user, agent: $agent})-[h:HOLDS]->(n:Note)
WHERE n.audience IN $audiences AND n.visibility = 'LOCAL' AND n.expiresAt > $now AND n.status IN ['ACTIVE', 'FADING', 'DORMANT']
RETURN n.id AS id, h.draft AS draft
ORDER BY id
LIMIT $limit
