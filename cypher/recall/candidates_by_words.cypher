// Finds what a question may mean by words alone, the gate inside, in a store whose vector index is missing; and the entities that have one of the question's names. No vector is compared: it may be of another model.
CALL () {
  UNWIND $keys AS key
  MATCH (e:Entity {user: $user, key: key})
  RETURN collect({key: e.key, id: e.id, tied: (EXISTS { (e)-[:ALSO_CALLED|ABSORBED]-() } OR EXISTS { MATCH (o:Entity {user: e.user, loose: e.loose}) USING INDEX SEEK o:Entity(user, loose) WHERE o <> e })}) AS named
}
CALL () {
  UNWIND $lucene AS lucene
  CALL db.index.fulltext.queryNodes('note_text', lucene, {limit: $keywordLimit}) YIELD node AS n, score
  WHERE score > 0 AND @worded(n)
  WITH DISTINCT n
  RETURN collect([n.id, n.title, n.speaker, n.occurredAt.epochMillis, left(n.content, $start), 0.0, n.words, n.episode, n.traits, [], []]) AS rows
}
RETURN rows, named
