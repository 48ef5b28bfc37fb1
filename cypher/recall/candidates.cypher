// Finds what a question may mean: the nearest notes by vector and by words, the gate inside both.
CALL () {
  MATCH (n:Note)
    SEARCH n IN (VECTOR INDEX note_embedding FOR $vector
      WHERE n.audience IN $audiences AND n.status IN $statuses AND n.tier IN $tiers AND n.kind IN $kinds
        AND n.type IN $types AND n.happenedAt >= $since AND n.happenedAt <= $until AND n.createdAt <= $at
        AND n.validFrom <= $at AND n.validTo > $at AND n.expiresAt > $now
      LIMIT $vectorLimit)
  RETURN n
  UNION
  CALL db.index.fulltext.queryNodes('note_text', $lucene, {limit: $keywordLimit}) YIELD node AS n, score
  WHERE score > 0 AND n.audience IN $audiences AND n.status IN $statuses AND n.tier IN $tiers AND n.kind IN $kinds
    AND n.type IN $types AND n.happenedAt >= $since AND n.happenedAt <= $until AND n.createdAt <= $at
    AND n.validFrom <= $at AND n.validTo > $at AND n.expiresAt > $now
  RETURN n
}
RETURN n.id AS id, n.title AS title, n.speaker AS speaker, n.occurredAt AS occurredAt, left(n.content, 4000) AS content,
       2 * vector.similarity.cosine(n.embedding, $vector) - 1 AS similarity,
       [(n)-[:NEXT]-(m:Note) WHERE m.audience IN $audiences AND m.expiresAt > $now AND m.status IN $statuses
        | coalesce(m.speaker, '') + ' ' + left(m.content, 1000)] AS around
