// What contradicts what? Pairs of notes of which one must be wrong, those that wait for a decision first.
MATCH (a:Note)<-[:BETWEEN]-(c:Conflict)-[:BETWEEN]->(b:Note)
WHERE a.id < b.id
RETURN c.open AS open, c.verdict AS verdict, round(c.similarity, 2) AS similarity, a.content AS one, b.content AS other,
  c.resolution AS resolution, c.resolvedBy AS resolvedBy
ORDER BY open DESC, c.at DESC LIMIT 100;
