// Finds the nearest notes of each variant of a question, the gate inside the search; a note counts with the variant that it is nearest to.
UNWIND $vectors AS row
CALL (row) {
  MATCH (n:Note)
    SEARCH n IN (VECTOR INDEX note_embedding FOR row.vector
      WHERE n.audience IN $audiences AND n.status IN $statuses AND n.tier IN $tiers AND n.kind IN $kinds
        AND n.type IN $types AND n.happenedAt >= $since AND n.happenedAt <= $until AND n.createdAt <= $at
        AND n.validFrom <= $at AND n.validTo > $at AND n.expiresAt > $now
      LIMIT $limit) SCORE AS s
  RETURN n.id AS id, 2 * s - 1 AS similarity
}
WITH id, max(similarity) AS similarity
RETURN collect({id: id, similarity: similarity}) AS rows
