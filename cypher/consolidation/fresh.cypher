// Finds which audiences have notes since a time.
UNWIND $audiences AS audience
WITH audience
WHERE EXISTS {
  MATCH (n:Note {audience: audience})
  USING INDEX SEEK n:Note(audience, createdAt)
  WHERE n.createdAt >= $since
}
RETURN audience
ORDER BY audience
