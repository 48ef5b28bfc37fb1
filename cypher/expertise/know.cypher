// Draws again who knows about which topics by the notes of one audience: an edge for each writer and topic, or for the team whose notes they are, with the Beta posterior of domain/expertise. The audience's lock comes first, so that a note which leaves it meanwhile leaves these edges, too.
MATCH (a:Audience {key: $audience})
SET a.knownAt = $since
CALL (a) {
  MATCH (n:Note)
  USING INDEX SEEK n:Note(audience, createdAt)
  WHERE n.audience = a.key AND n.createdAt IS NOT NULL AND n.status IN $statuses AND n.expiresAt > $now AND n.validTo > $now
  WITH n, $now.epochMillis AS now, coalesce(n.lastUsedAt, n.updatedAt) AS used
  WITH n, now, [t IN n.accessTimes | t.epochMillis] AS recalled,
    [t IN coalesce(n.helpedAt, []) + CASE WHEN n.successCount > 0 THEN [i IN range(1, n.successCount) WHERE i <= $kept | used] ELSE [] END | t.epochMillis] AS helped,
    [t IN coalesce(n.failedAt, []) + CASE WHEN n.failureCount > 0 THEN [i IN range(1, n.failureCount) WHERE i <= $kept | used] ELSE [] END | t.epochMillis] AS failed
  WITH n, size(helped) AS successes, size(failed) AS failures,
    $written * 0.5 ^ (CASE WHEN now > n.createdAt.epochMillis THEN now - n.createdAt.epochMillis ELSE 0 END / $halfLife)
      + $recalled * reduce(sum = 0.0, t IN recalled | sum + 0.5 ^ (CASE WHEN now > t THEN now - t ELSE 0 END / $halfLife))
      + $helped * reduce(sum = 0.0, t IN helped | sum + 0.5 ^ (CASE WHEN now > t THEN now - t ELSE 0 END / $halfLife)) AS good,
    $failed * reduce(sum = 0.0, t IN failed | sum + 0.5 ^ (CASE WHEN now > t THEN now - t ELSE 0 END / $halfLife)) AS bad
  MATCH (n)-[about:ABOUT]->(t:Topic)
  WHERE about.version = n.version AND about.audience = n.audience
  CALL (n) {
    MATCH (w:Agent|User)-[:WROTE]->(n)
    RETURN w
    UNION ALL
    WITH n WHERE n.section IS NOT NULL
    MATCH (w:Team {id: substring(n.user, 2)})
    RETURN w
  }
  WITH w, t, count(*) AS notes, sum(good) AS good, sum(bad) AS bad, sum(successes) AS successes, sum(failures) AS failures,
    min(n.createdAt) AS firstAt, max(n.createdAt) AS lastAt
  RETURN collect({writer: w, topic: t, notes: notes, good: good, bad: bad, successes: successes, failures: failures, firstAt: firstAt, lastAt: lastAt}) AS rows
}
CALL (a, rows) {
  UNWIND rows AS row
  WITH a, row, row.writer AS w, row.topic AS t, CASE WHEN row.good + row.bad > 0 THEN log(1 + row.good + row.bad) / (row.good + row.bad) ELSE 1.0 END AS weight
  WITH a, row, w, t, weight, $priorA + weight * row.good AS alpha, $priorB + weight * row.bad AS beta
  MERGE (w)-[k:KNOWS_ABOUT {audience: a.key, topic: t.key}]->(t)
  SET k.notes = row.notes, k.successes = row.successes, k.failures = row.failures, k.firstAt = row.firstAt, k.lastAt = row.lastAt,
      k.weight = weight, k.alpha = alpha, k.beta = beta, k.confidence = alpha / (alpha + beta), k.at = $now
}
CALL (a) {
  MATCH ()-[k:KNOWS_ABOUT {audience: a.key}]->()
  WHERE k.topic IS NOT NULL AND k.at <> $now
  DELETE k
}
RETURN size(rows) AS edges
