// Finds what a question may mean among the notes that pass a filter which the vector index can't apply: an exact search; and the entities that have one of the question's names.
CALL () {
  UNWIND $keys AS key
  MATCH (e:Entity {user: $user, key: key})
  RETURN collect({key: e.key, id: e.id, tied: (EXISTS { (e)-[:ALSO_CALLED|ABSORBED]-() } OR EXISTS { MATCH (o:Entity {user: e.user, loose: e.loose}) USING INDEX SEEK o:Entity(user, loose) WHERE o <> e })}) AS named
}
CALL () {
  UNWIND $audiences AS audience
  MATCH (n:Note {audience: audience})
  USING INDEX SEEK n:Note(audience, createdAt)
  WHERE n.createdAt IS NOT NULL AND n.status IN $statuses AND n.tier IN $tiers AND n.kind IN $kinds
    AND n.type IN $types AND n.happenedAt >= $since AND n.happenedAt <= $until AND n.createdAt <= $at
    AND n.validFrom <= $at AND n.validTo > $at AND n.expiresAt > $now
    AND ($tags IS NULL OR all(tag IN $tags WHERE tag IN n.tags))
    AND ($author IS NULL OR n.author = $author)
    AND ($episode IS NULL OR n.episode = $episode)
    AND ($externalPrefix IS NULL OR n.externalId STARTS WITH $externalPrefix)
    AND ($text IS NULL OR toLower(n.content) CONTAINS $text OR toLower(coalesce(n.title, '')) CONTAINS $text)
    AND ($entities IS NULL OR EXISTS {
      MATCH (n)-[m:MENTIONS]->(e:Entity) USING INDEX SEEK e:Entity(id)
      WHERE e.id IN $entities AND ((m.given AND (m.of IS NULL OR m.of IN $entities)) OR (NOT m.given
        AND EXISTS { (g:Note)-[i:MENTIONS {given: true}]->(e) WHERE (m.plain IS NULL OR NOT i.cased) AND g.audience IN $readable AND g.expiresAt > $now AND g.status IN $live }
        AND (m.within IS NULL OR NOT EXISTS { MATCH (g:Note)-[:MENTIONS {given: true}]->(w:Entity) USING INDEX SEEK w:Entity(id) WHERE w.id IN m.within AND g.audience IN $readable AND g.expiresAt > $now AND g.status IN $live })))
    })
  WITH n, CASE WHEN size(n.embedding) = vector_dimension_count($vector) THEN 2 * vector.similarity.cosine(n.embedding, $vector) - 1 ELSE 0.0 END AS similarity
  CALL (n) {
    OPTIONAL MATCH (n)-[:HAS_PASSAGE]->(p:Passage)
    WHERE size(p.embedding) = vector_dimension_count($vector)
    WITH p, 2 * vector.similarity.cosine(p.embedding, $vector) - 1 AS s
    ORDER BY s DESC, p.from
    RETURN collect(CASE WHEN p IS NULL THEN null ELSE [s, p.words] END)[..5] AS parts
  }
  WITH n, similarity, parts
  ORDER BY CASE WHEN parts[0][0] > similarity THEN parts[0][0] ELSE similarity END DESC, n.id
  LIMIT $vectorLimit
  RETURN collect([
    n.id, n.title, n.speaker, n.occurredAt.epochMillis, left(n.content, $start), similarity, n.words, n.episode, n.traits,
    CASE
      WHEN n.episode IS NULL THEN []
      WHEN EXISTS { (n)-[:NEXT]-(h:Note) WHERE NOT (@readable(h) AND h.status IN $statuses) }
      THEN COLLECT {
          CALL (n) {
            MATCH (m:Note)
            USING INDEX SEEK m:Note(user, episode, happenedAt, id)
            WHERE m.user = n.user AND m.episode = n.episode AND m.happenedAt >= n.happenedAt AND m.id IS NOT NULL AND CASE m.happenedAt WHEN n.happenedAt THEN m.id > n.id ELSE true END
              AND @readable(m) AND m.status IN $statuses
            WITH m ORDER BY m.user, m.episode, m.happenedAt, m.id LIMIT 1
            RETURN m, false AS earlier
            UNION ALL
            MATCH (m:Note)
            USING INDEX SEEK m:Note(user, episode, happenedAt, id)
            WHERE m.user = n.user AND m.episode = n.episode AND m.happenedAt <= n.happenedAt AND m.id IS NOT NULL AND CASE m.happenedAt WHEN n.happenedAt THEN m.id < n.id ELSE true END
              AND @readable(m) AND m.status IN $statuses
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
