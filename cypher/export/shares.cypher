// Reads which domains a user shares with which teams, from a place on (keyset).
MATCH (:User {id: $user})-[s:SHARES]->(t:Team)
WITH s, t, t.id + '|' + s.domain AS place
WHERE place > $after AND s.until > $now
WITH place, s, t ORDER BY place LIMIT $limit
RETURN place, s {.domain, .at, .until, team: t.id} AS row
