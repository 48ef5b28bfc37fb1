// Finds what a question may mean: the nearest notes by vector, by the vectors of their passages and by words, the gate inside each; and the entities that have one of the question's names.
CALL () {
  UNWIND $keys AS key
  MATCH (e:Entity {user: $user, key: key})
  RETURN collect({key: e.key, id: e.id, tied: (EXISTS { (e)-[:ALSO_CALLED|ABSORBED]-() } OR EXISTS { MATCH (o:Entity {user: e.user, loose: e.loose}) USING INDEX SEEK o:Entity(user, loose) WHERE o <> e })}) AS named
}
CALL () {
  CALL () {
    MATCH (n:Note)
      SEARCH n IN (VECTOR INDEX note_embedding FOR $vector
        WHERE @searched(n)
        LIMIT $vectorLimit) SCORE AS s
    RETURN n, 2 * s - 1 AS found, null AS parts
    UNION ALL
    MATCH (p:Passage)
      SEARCH p IN (VECTOR INDEX passage_embedding FOR $vector
        WHERE @searched(p)
        LIMIT $passageLimit) SCORE AS s
    MATCH (n:Note)-[:HAS_PASSAGE]->(p)
    WHERE n.audience IN $audiences AND n.status IN $statuses AND n.tier IN $tiers AND n.validTo > datetime($at) AND n.expiresAt > datetime($now)
    WITH n, p, s ORDER BY s DESC, p.from
    WITH n, collect([2 * s - 1, p.words])[..5] AS parts
    RETURN n, null AS found, parts
    UNION ALL
    UNWIND $lucene AS lucene
    CALL db.index.fulltext.queryNodes('note_text', lucene, {limit: $keywordLimit}) YIELD node AS n, score
    WHERE score > 0 AND @worded(n)
    RETURN n, null AS found, null AS parts
  }
  WITH n, max(found) AS found, collect(parts)[0] AS parts
  // A vector is slow to read: only that of notes which the vector index did not find.
  WITH n, CASE WHEN found IS NULL THEN coalesce(2 * vector.similarity.cosine(n.embedding, $vector) - 1, 0.0) ELSE found END AS similarity, parts
  RETURN collect([
    n.id, n.title, n.speaker, n.occurredAt.epochMillis, left(n.content, $start), similarity, n.words, n.episode, n.traits,
    CASE
      WHEN n.episode IS NULL THEN []
      WHEN EXISTS { (n)-[:NEXT]-(h:Note) WHERE NOT (@leading(h)) }
      THEN COLLECT {
          CALL (n) {
            MATCH (m:Note)
            USING INDEX SEEK m:Note(user, episode, happenedAt, id)
            WHERE m.user = n.user AND m.episode = n.episode AND m.happenedAt >= n.happenedAt AND m.id IS NOT NULL AND CASE m.happenedAt WHEN n.happenedAt THEN m.id > n.id ELSE true END
              AND @leading(m)
            WITH m ORDER BY m.user, m.episode, m.happenedAt, m.id LIMIT 1
            RETURN m, false AS earlier
            UNION ALL
            MATCH (m:Note)
            USING INDEX SEEK m:Note(user, episode, happenedAt, id)
            WHERE m.user = n.user AND m.episode = n.episode AND m.happenedAt <= n.happenedAt AND m.id IS NOT NULL AND CASE m.happenedAt WHEN n.happenedAt THEN m.id < n.id ELSE true END
              AND @leading(m)
            WITH m ORDER BY m.user DESC, m.episode DESC, m.happenedAt DESC, m.id DESC LIMIT 1
            RETURN m, true AS earlier
          }
          RETURN [m.id, earlier, m.traits, m.words] AS near
        }
      ELSE [(n)-[:NEXT]->(m:Note) | [m.id, false, m.traits, m.words]] + [(n)<-[:NEXT]-(m:Note) | [m.id, true, m.traits, m.words]]
    END,
    [(n)-[d:DERIVED_FROM]->(s:Note) WHERE d.by IS NOT NULL | s.id][..25],
    CASE WHEN size(parts) > 0 THEN [COUNT { (n)-[:HAS_PASSAGE]->(p:Passage) WHERE p.embedding IS NOT NULL }, parts] END
  ]) AS rows
}
RETURN rows, named
