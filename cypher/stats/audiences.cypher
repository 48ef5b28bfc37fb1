// Counts the readable audiences that have notes; one that only had some, which were hidden since, is none.
UNWIND $audiences AS audience
WITH audience
WHERE EXISTS {
  MATCH (n:Note) USING INDEX SEEK n:Note(audience, createdAt)
  WHERE n.audience = audience AND n.createdAt IS NOT NULL AND @readable(n)
}
RETURN count(*) AS audiences
