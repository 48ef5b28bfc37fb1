// Finds the notes of the same audience that are like a note, the most alike first; what was settled before, or is open for the user, is left out.
MATCH (m:Note {id: $id})
WHERE m.audience = $audience AND m.status IN $statuses AND m.expiresAt > $now AND m.validTo > $now AND m.context IS NOT NULL
CALL (m) {
  MATCH (n:Note)
    SEARCH n IN (VECTOR INDEX note_embedding FOR m.embedding
      WHERE n.audience = m.audience AND n.status IN $statuses AND n.expiresAt > $now AND n.validTo > $now
      LIMIT $near) SCORE AS s
  WHERE n <> m AND 2 * s - 1 > $similarity AND n.context IS NOT NULL AND NOT n:Skill AND NOT n:Knowledge
  RETURN n, 2 * s - 1 AS similarity
}
OPTIONAL MATCH (c:Conflict {user: m.user, pair: CASE WHEN m.id < n.id THEN m.id + '|' + n.id ELSE n.id + '|' + m.id END})
WITH n, similarity, c
WHERE c IS NULL
RETURN n.id AS other, similarity
ORDER BY similarity DESC, other
