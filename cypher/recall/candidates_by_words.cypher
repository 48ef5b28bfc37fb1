// Finds what a question may mean by words alone, the gate inside, in a store whose vector index is missing; and the entities that have one of the question's names. No vector is compared: it may be of another model.
CALL () {
  UNWIND $keys AS key
  MATCH (e:Entity {user: $user, key: key})
  RETURN collect({key: e.key, id: e.id, tied: (EXISTS { (e)-[:ALSO_CALLED|ABSORBED]-() } OR EXISTS { MATCH (o:Entity {user: e.user, loose: e.loose}) USING INDEX SEEK o:Entity(user, loose) WHERE o <> e })}) AS named
}
CALL () {
  UNWIND $lucene AS lucene
  CALL db.index.fulltext.queryNodes('note_text', lucene, {limit: $keywordLimit}) YIELD node AS n, score
  WHERE score > 0 AND n.audience IN $audiences AND CASE WHEN $current AND n:Current THEN true ELSE n.status IN $statuses AND n.tier IN $tiers
      AND n.validFrom <= datetime($at) AND n.validTo > datetime($at) AND n.expiresAt > datetime($now) END
    AND ($plain OR (n.kind IN $kinds AND n.type IN $types AND n.happenedAt >= datetime($since) AND n.happenedAt <= datetime($until) AND n.createdAt <= datetime($at)))
  WITH DISTINCT n
  RETURN collect([n.id, n.title, n.speaker, n.occurredAt.epochMillis, left(n.content, $start), 0.0, n.words, n.episode, n.traits, [], []]) AS rows
}
RETURN rows, named
