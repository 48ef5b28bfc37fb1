// Finds pairs of like readable notes of a user, each pair in one audience and once, the most alike first; what was flagged or settled before is left out, and so is what waits to be merged.
MATCH (m:Note {user: $user})
USING INDEX SEEK m:Note(user, status)
WHERE m.status IN $statuses AND @readable(m) AND m.validTo > $now AND m.context IS NOT NULL
WITH m ORDER BY m.updatedAt DESC, m.id DESC LIMIT $most
CALL (m) {
  MATCH (n:Note)
    SEARCH n IN (VECTOR INDEX note_embedding FOR m.embedding
      WHERE n.audience = m.audience AND n.status IN $statuses AND n.expiresAt > $now AND n.validTo > $now
      LIMIT $near) SCORE AS s
  WHERE n <> m AND 2 * s - 1 > $similarity AND n.context IS NOT NULL AND NOT n:Skill AND NOT n:Knowledge
    AND NOT EXISTS { (m)-[:COPY_OF]-(n) }
  RETURN n, 2 * s - 1 AS similarity
}
WITH CASE WHEN m.id < n.id THEN m.id ELSE n.id END AS one, CASE WHEN m.id < n.id THEN n.id ELSE m.id END AS other,
     max(similarity) AS similarity
OPTIONAL MATCH (c:Conflict {user: $user, pair: one + '|' + other})
WITH one, other, similarity, c
WHERE c IS NULL OR (c.open AND c.verdict = 'CONTRADICTORY')
RETURN one, other, similarity
ORDER BY similarity DESC, one, other
LIMIT $limit
