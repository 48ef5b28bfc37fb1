// Keeps the index of topics by which experts are found, and draws who knows about them.
// cron: 15 * * * *
// time zone: UTC
// What the new and changed notes are about is indexed before this, in Python, which gives each topic its one key. This draws an edge for each writer and topic, or for the team whose notes they are, with the Beta posterior of domain/expertise.
// It goes through the audiences whose notes changed, were used or came to an end since that was done, after one by key and up to another. A note that leaves its audience takes the edges of its topics with it: none is drawn that was worked out before.
CALL () {
  MATCH (a:Audience)
  USING INDEX SEEK a:Audience(key)
  WHERE a.key > $after AND a.key <= $last AND CASE WHEN $owners IS NULL THEN true ELSE a.owner IN $owners END
    AND CASE WHEN a.knownAt IS NULL THEN true ELSE EXISTS {
      MATCH (n:Note)
      USING INDEX SEEK n:Note(audience, createdAt)
      WHERE n.audience = a.key AND n.createdAt IS NOT NULL
        AND any(at IN [n.updatedAt, n.accessTimes[-1], n.helpedAt[-1], n.failedAt[-1], n.lastUsedAt] + [end IN [n.expiresAt, n.validTo] WHERE end <= $now] WHERE at > a.knownAt)
    } END
  WITH a ORDER BY a.key LIMIT $limit
  RETURN collect({key: a.key, departures: coalesce(a.departures, 0)}) AS page
}
CALL (page) {
  UNWIND page AS a
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
    WITH w, t, notes, successes, failures, firstAt, lastAt, good, bad, CASE WHEN good + bad > 0 THEN log(1 + good + bad) / (good + bad) ELSE 1.0 END AS weight
    WITH w, t, {notes: notes, successes: successes, failures: failures, firstAt: firstAt, lastAt: lastAt, weight: weight,
      alpha: $priorA + weight * good, beta: $priorB + weight * bad} AS edge
    WITH w, t, edge, CASE WHEN w:Agent THEN 'Agent' WHEN w:User THEN 'User' ELSE 'Team' END AS kind, EXISTS {
      (w)-[k:KNOWS_ABOUT {audience: a.key, topic: t.key}]->(t) WHERE k.at = $now
    } AS drawn
    WITH count(*) AS edges, collect(CASE WHEN NOT drawn THEN {id: a.key + ' ' + kind + ' ' + w.id + ' ' + t.key, audience: a.key,
      departures: a.departures, kind: kind, user: w.user, who: w.id, topic: t.key, edge: edge} END) AS rows
    RETURN rows + [{id: a.key + '~', audience: a.key, departures: a.departures, edges: edges}] AS rows // the last one ends it, once all are drawn
  }
  UNWIND rows AS row
  WITH row
  WHERE NOT row.id IN $leftOut
  RETURN collect(row) AS due
}
WITH due, {} AS counts, page[-1].key AS place
@cut(due, place, counts)
CALL (batch) {
  @gated(batch)
  WITH batch, batch[0] AS first, batch[-1] AS last
  MATCH (a:Audience {key: first.audience})
  USING INDEX SEEK a:Audience(key)
  SET a.touched = $now
  REMOVE a.touched // it is locked, so that a note which leaves it meanwhile leaves these edges, too
  WITH a, batch, first, last
  WHERE coalesce(a.departures, 0) = first.departures
  CALL (a, batch) {
    UNWIND batch AS row
    WITH a, row, row.edge AS edge
    WHERE edge IS NOT NULL
    MATCH (t:Topic {key: row.topic})
    CALL (row) {
      WITH row WHERE row.kind = 'Agent'
      MATCH (w:Agent {user: row.user, id: row.who})
      RETURN w
      UNION ALL
      WITH row WHERE row.kind = 'User'
      MATCH (w:User {id: row.who})
      RETURN w
      UNION ALL
      WITH row WHERE row.kind = 'Team'
      MATCH (w:Team {id: row.who})
      RETURN w
    }
    MERGE (w)-[k:KNOWS_ABOUT {audience: a.key, topic: t.key}]->(t)
    SET k.notes = edge.notes, k.successes = edge.successes, k.failures = edge.failures, k.firstAt = edge.firstAt, k.lastAt = edge.lastAt,
        k.weight = edge.weight, k.alpha = edge.alpha, k.beta = edge.beta, k.confidence = edge.alpha / (edge.alpha + edge.beta), k.at = $now
    RETURN collect(row.id) AS drawn
  }
  CALL (a, last) {
    WITH a, last
    WHERE last.edges = COUNT { ()-[k:KNOWS_ABOUT {audience: a.key}]->() WHERE k.topic IS NOT NULL AND k.at = $now }
    SET a.knownAt = $since
    WITH a, last
    CALL (a) {
      MATCH ()-[k:KNOWS_ABOUT {audience: a.key}]->()
      WHERE k.topic IS NOT NULL AND k.at <> $now
      DELETE k
    }
    RETURN collect(last.id) AS known
  }
  WITH collect({names: [each IN drawn | 'edges'] + [each IN known | 'audiences'], notes: drawn + known})[0] AS done
  RETURN coalesce(done.names, []) AS names, coalesce(done.notes, []) AS notes, [] AS told
} @tallied(place, counts, more)
