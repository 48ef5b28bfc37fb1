// Counts an access of the notes that an approved reflection keeps, and keeps the access time that falls out for it.
MATCH (r:Reflection {id: $id})
UNWIND $notes AS id
MATCH (n:Note {id: id})
CREATE (r)-[:KEPT {at: $now, dropped: CASE WHEN size(n.accessTimes) >= 20 THEN n.accessTimes[0] END}]->(n)
SET n.accessCount = n.accessCount + 1, n.accessTimes = (n.accessTimes + $now)[-20..]
RETURN count(*) AS kept
