// Keeps which notes rules hold to be copies of others with the same readers, each since when they first did; both are locked, so that what somebody settles or puts away meanwhile is seen.
UNWIND $rows AS row
MATCH (copy:Note {id: row.copy})
MATCH (n:Note {id: row.note})
FOREACH (x IN CASE WHEN copy.id < n.id THEN [copy, n] ELSE [n, copy] END | SET x.touched = $now REMOVE x.touched)
WITH row, copy, n
WHERE n.audience = copy.audience AND all(x IN [copy, n] WHERE x.status IN $statuses)
  AND NOT EXISTS { MATCH (c:Conflict {user: n.user, pair: row.pair}) WHERE NOT c.open }
MERGE (copy)-[c:COPY_OF]->(n)
  ON CREATE SET c.at = $now
SET c.audience = n.audience, c.cosine = row.cosine, c.rule = row.rule
RETURN count(c) AS copies
