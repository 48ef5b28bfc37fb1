// Keeps which notes rules hold to be copies of others with the same readers, each since when they first did.
UNWIND $rows AS row
MATCH (copy:Note {id: row.copy})
MATCH (n:Note {id: row.note})
WHERE n.audience = copy.audience
MERGE (copy)-[c:COPY_OF]->(n)
  ON CREATE SET c.at = $now
SET c.audience = n.audience, c.cosine = row.cosine, c.rule = row.rule
RETURN count(c) AS copies
