// Reads the graph one step around notes and named entities: what they mention, who else mentions it, relations, links, neighbours in the episode; the gate on every note and relation, the fan-out bounded.
CALL () {
  UNWIND $notes AS id
  MATCH (s:Note {id: id})
  CALL (s) {
    MATCH (s)-[m:MENTIONS]->(e:Entity)
    RETURN e, m.name AS name
    ORDER BY m.given DESC, m.count DESC, e.id
    LIMIT $entityFan
  }
  RETURN 'mention' AS kind, s.id AS source, e.id AS target, name AS label, 1.0 AS weight, e AS entity
  UNION ALL
  UNWIND $named AS named
  MATCH (e:Entity {id: named.id, user: $user})
  WHERE EXISTS {
    (n:Note)-[m:MENTIONS]->(e)
    WHERE named.key IN m.keys AND n.audience IN $audiences AND n.expiresAt > $now AND n.status IN $statuses
  }
  RETURN 'named' AS kind, '' AS source, e.id AS target, named.surface AS label, 1.0 AS weight, e AS entity
}
WITH collect([kind, source, target, label, weight]) AS found, collect(DISTINCT entity) AS entities
CALL (found, entities) {
  UNWIND found AS row
  RETURN row[0] AS kind, row[1] AS source, row[2] AS target, row[3] AS label, row[4] AS weight, null AS similarity
  UNION ALL
  UNWIND entities AS e
  CALL (e) {
    MATCH (x:Note {user: $user, titleKey: e.key})
    WHERE x.audience IN $audiences AND x.status IN $statuses AND x.tier IN $tiers AND x.expiresAt > $now
      AND x.createdAt <= $at AND x.validFrom <= $at AND x.validTo > $at
    RETURN x, 'titled' AS how
    ORDER BY x.id LIMIT 3
    UNION ALL
    MATCH (e)<-[:MENTIONS]-(x:Note)
    WHERE x.audience IN $audiences AND x.status IN $statuses AND x.tier IN $tiers AND x.expiresAt > $now
      AND x.createdAt <= $at AND x.validFrom <= $at AND x.validTo > $at
    RETURN x, 'mentioned' AS how
    LIMIT $noteFan
  }
  RETURN how AS kind, e.id AS source, x.id AS target, null AS label, 1.0 AS weight,
         2 * vector.similarity.cosine(x.embedding, $vector) - 1 AS similarity
  UNION ALL
  UNWIND entities AS e
  CALL (e) {
    MATCH (e)-[r:RELATES_TO]-(f:Entity)
    WHERE r.audience IN $audiences AND r.status IN $statuses AND r.expiresAt > $now
    RETURN r, f LIMIT $relationFan
  }
  RETURN 'relation' AS kind, e.id AS source, f.id AS target, r.predicate AS label, r.confidence AS weight, null AS similarity
  UNION ALL
  UNWIND $notes AS id
  MATCH (s:Note {id: id})
  CALL (s) {
    MATCH (s)-[r:LINKS_TO]-(x:Note)
    WHERE x.audience IN $audiences AND x.status IN $statuses AND x.tier IN $tiers AND x.expiresAt > $now
      AND x.createdAt <= $at AND x.validFrom <= $at AND x.validTo > $at
    RETURN 'link' AS kind, x, r.kind AS label, r.strength AS weight
    ORDER BY weight DESC, x.id LIMIT $linkFan
    UNION ALL
    MATCH (s)-[:NEXT]-(x:Note)
    WHERE x.audience IN $audiences AND x.status IN $statuses AND x.tier IN $tiers AND x.expiresAt > $now
      AND x.createdAt <= $at AND x.validFrom <= $at AND x.validTo > $at
    RETURN 'next' AS kind, x, 'NEXT' AS label, 1.0 AS weight
  }
  RETURN kind, s.id AS source, x.id AS target, label, weight, 2 * vector.similarity.cosine(x.embedding, $vector) - 1 AS similarity
}
RETURN collect({kind: kind, source: source, target: target, label: label, weight: weight, similarity: similarity}) AS rows
