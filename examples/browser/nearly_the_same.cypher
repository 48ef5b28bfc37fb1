// Which notes say nearly the same? The newest 500 notes of a user, each with others of the same readers that are very near.
:param user => 'mara';
CYPHER 25
MATCH (n:Note {user: $user})
WHERE n.status IN ['ACTIVE', 'FADING', 'DORMANT']
WITH n ORDER BY n.createdAt DESC LIMIT 500
CALL (n) {
  MATCH (m:Note)
    SEARCH m IN (VECTOR INDEX note_embedding FOR n.embedding WHERE m.audience = n.audience LIMIT 5) SCORE AS score
  WHERE m.id < n.id AND 2 * score - 1 >= 0.9 AND m.status IN ['ACTIVE', 'FADING', 'DORMANT']
  RETURN m, 2 * score - 1 AS cosine
}
RETURN round(cosine, 3) AS cosine, n.content AS one, m.content AS other, n.domain AS domain
ORDER BY cosine DESC LIMIT 50;
