// Which notes are long, and what are their passages? A long note is found by the passage that is nearest.
MATCH (n:Note)-[:HAS_PASSAGE]->(p:Passage)
WITH n, p ORDER BY p.from
RETURN coalesce(n.title, left(n.content, 60)) AS note, size(n.content) AS characters, count(p) AS passages,
  collect(substring(n.content, p.from, 60))[..5] AS beginnings
ORDER BY characters DESC LIMIT 20;
