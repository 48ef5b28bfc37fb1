// Finds the note after a place of the sweep of decay, where that can't read a note and goes on behind it.
CALL () { // either the rest of one audience, or those beyond it: what is not wanted is asked for with an audience that there is not
  MATCH (n:Note)
  USING INDEX SEEK n:Note(audience, createdAt)
  WHERE n.audience = $audience AND n.createdAt >= datetime($createdAt) AND CASE n.createdAt WHEN datetime($createdAt) THEN n.id > $id ELSE true END
  WITH n ORDER BY n.audience, n.createdAt, n.id LIMIT 1
  RETURN [n.audience, toString(n.createdAt), n.id] AS place
  UNION ALL
  MATCH (n:Note)
  USING INDEX SEEK n:Note(audience, createdAt)
  WHERE n.audience > $beyond AND n.createdAt IS NOT NULL
  WITH n ORDER BY n.audience, n.createdAt, n.id LIMIT 1
  RETURN [n.audience, toString(n.createdAt), n.id] AS place
}
RETURN place
ORDER BY place
LIMIT 1
