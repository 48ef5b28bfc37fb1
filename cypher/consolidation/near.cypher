// Finds the knowledge of an audience that is near summaries, the nearest first.
UNWIND $rows AS row
CALL (row) {
  MATCH (n:Note)
    SEARCH n IN (VECTOR INDEX note_embedding FOR row.vector
      WHERE n.audience = $audience AND n.status = 'ACTIVE' AND n.kind = 'SEMANTIC' AND n.expiresAt > $now AND n.validTo > $now
      LIMIT $near) SCORE AS s
  WHERE 2 * s - 1 >= $similarity AND NOT n:Skill AND NOT n:Knowledge
  RETURN n, 2 * s - 1 AS similarity
}
RETURN row.id AS id, n.id AS other, similarity, n.keywords AS keywords, n.tags AS tags
ORDER BY id, similarity DESC, other
