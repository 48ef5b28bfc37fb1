// Who are the most connected people? Those with most notes that name them, and most others named with them.
:param user => 'mara';
MATCH (p:Entity {user: $user, type: 'person'})<-[:MENTIONS]-(n:Note)
WITH p, count(DISTINCT n) AS notes, collect(DISTINCT n) AS found
RETURN p.name AS person, notes,
  COUNT { UNWIND found AS n MATCH (n)-[:MENTIONS]->(o:Entity) WHERE o <> p RETURN DISTINCT o } AS others,
  COUNT { (p)-[:RELATES_TO]-() } AS relations
ORDER BY others DESC, notes DESC LIMIT 20;
