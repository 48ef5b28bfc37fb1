// Finds the nearest notes of each variant of a question, by their vectors and those of their passages, the gate inside both searches; each counts with the variant that it is nearest to.
UNWIND $vectors AS row
CALL (row) {
  MATCH (n:Note)
    SEARCH n IN (VECTOR INDEX note_embedding FOR row.vector
      WHERE n.audience IN $audiences AND n.status IN $statuses AND n.tier IN $tiers AND n.kind IN $kinds
        AND n.type IN $types AND n.happenedAt >= $since AND n.happenedAt <= $until AND n.createdAt <= $at
        AND n.validFrom <= $at AND n.validTo > $at AND n.expiresAt > $now
      LIMIT $limit) SCORE AS s
  RETURN n, 2 * s - 1 AS similarity, null AS part
  UNION ALL
  MATCH (p:Passage)
    SEARCH p IN (VECTOR INDEX passage_embedding FOR row.vector
      WHERE p.audience IN $audiences AND p.status IN $statuses AND p.tier IN $tiers AND p.kind IN $kinds
        AND p.type IN $types AND p.happenedAt >= $since AND p.happenedAt <= $until AND p.createdAt <= $at
        AND p.validFrom <= $at AND p.validTo > $at AND p.expiresAt > $now
      LIMIT $passageLimit) SCORE AS s
  MATCH (n:Note)-[:HAS_PASSAGE]->(p)
  WHERE n.audience IN $audiences AND n.status IN $statuses AND n.tier IN $tiers AND n.validTo > $at AND n.expiresAt > $now
  RETURN n, coalesce(2 * vector.similarity.cosine(n.embedding, row.vector) - 1, 0.0) AS similarity, 2 * s - 1 AS part
}
WITH n, max(similarity) AS similarity, max(part) AS part
RETURN collect({id: n.id, similarity: similarity, part: part, parts: CASE WHEN part IS NULL THEN 0 ELSE COUNT { (n)-[:HAS_PASSAGE]->(p:Passage) WHERE p.embedding IS NOT NULL } END}) AS rows
