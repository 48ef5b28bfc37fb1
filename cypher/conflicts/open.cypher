// Records that two notes can't both be true, or that nobody can tell; once for each pair. Where they have other readers, it is for those who read both as they are now. Gives the id of each.
UNWIND $rows AS row
MATCH (a:Note {id: row.one})
MATCH (b:Note {id: row.other})
MERGE (c:Conflict {user: $user, pair: row.pair})
  ON CREATE SET c.id = row.id, c.at = $now, c.similarity = row.similarity, c.verdict = row.verdict, c.open = true, c.resolution = null,
    c.audienceThen = CASE WHEN a.audience <> b.audience THEN a.audience END, c.otherThen = CASE WHEN a.audience <> b.audience THEN b.audience END
MERGE (c)-[:BETWEEN]->(a)
MERGE (c)-[:BETWEEN]->(b)
RETURN c.id AS id
