// Finds skills whose trigger or name holds a word of the question, those nearest to it first; with the gate and the filter of a recall.
UNWIND $audiences AS audience
MATCH (n:Skill {audience: audience})
WHERE n.status IN $statuses AND n.tier IN $tiers AND n.kind IN $kinds
  AND n.type IN $types AND n.happenedAt >= $since AND n.happenedAt <= $until AND n.createdAt <= $at
  AND n.validFrom <= $at AND n.validTo > $at AND n.expiresAt > $now
  AND any(word IN $words WHERE toLower(coalesce(n.trigger, '') + ' ' + coalesce(n.title, '')) CONTAINS word)
WITH n, CASE WHEN size(n.embedding) = vector_dimension_count($vector) THEN 2 * vector.similarity.cosine(n.embedding, $vector) - 1 ELSE 0.0 END AS similarity
ORDER BY similarity DESC, n.id
LIMIT $limit
RETURN collect({
  note: [n.id, n.title, n.speaker, n.occurredAt.epochMillis, left(n.content, $start), similarity, n.words, n.episode, n.traits, [], []],
  trigger: n.trigger
}) AS rows
