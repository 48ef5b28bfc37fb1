// Reads the recalls of a user, with what they returned of the user's own notes, from a number on (keyset).
MATCH (r:Recall {user: $user})
WHERE r.cycle > toInteger($after)
WITH r ORDER BY r.cycle LIMIT $limit
RETURN toString(r.cycle) AS place, r {.*, embedding: null, embedding2: null, asker: null, returned: COLLECT {
  MATCH (r)-[x:RETURNED]->(n:Note) WHERE n.user = $user AND n.expiresAt > $now
  WITH x, n ORDER BY x.rank, n.id LIMIT 1000
  RETURN x {.*, note: n.id}
}} AS row
