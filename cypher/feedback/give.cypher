// Sets whether a recall and notes of it helped, and keeps the vector of its question, if the feedback on each note is still the one that was read; accesses that come of it are counted or taken back, half-lives grow or shrink within their bounds.
MATCH (r:Recall {id: $recall})
SET r.helpful = $helpful, r.judgedAt = $now  // other feedback on this recall waits here
WITH r
CALL (r) {
  WITH r WHERE $question IS NOT NULL AND r.query IS NOT NULL  // gone where a note of the answer was destroyed meanwhile
  SET r.asker = $question.asker
  WITH r
  CALL db.create.setNodeVectorProperty(r, 'embedding', $question.vector)
  OPTIONAL MATCH (a:Agent {user: r.user, id: r.agent})
  OPTIONAL MATCH (u:User {id: r.user})
  WITH CASE WHEN r.agent IS NULL THEN u ELSE a END AS asker
  WHERE asker.judges IS NULL
  SET asker.judges = true
}
CALL (r) {
  UNWIND $rows AS row
  MATCH (r)-[x:RETURNED|CONSULTED]->(n:Note {id: row.id})
  WHERE n.audience IN $audiences AND (x.helpful = row.old OR x.helpful IS NULL AND row.old IS NULL)
  RETURN collect({x: x, n: n, row: row}) AS found
}
WITH found
WHERE size(found) = size($rows)
CALL (found) {
  UNWIND found AS each
  WITH each.x AS x, each.n AS n, each.row AS row
  // When notes helped and when they did not is what their writers' expertise goes by: the last 20 of each.
  WITH x, n, row,
    CASE WHEN row.old = true THEN [i IN range(0, size(coalesce(n.helpedAt, [])) - 1) WHERE n.helpedAt[i] = x.foundAt][-1] END AS unhelped,
    CASE WHEN row.old = false THEN [i IN range(0, size(coalesce(n.failedAt, [])) - 1) WHERE n.failedAt[i] = x.foundAt][-1] END AS unfailed
  SET n.helpedAt = ([i IN range(0, size(coalesce(n.helpedAt, [])) - 1) WHERE unhelped IS NULL OR i <> unhelped | n.helpedAt[i]] + CASE WHEN row.helpful = true THEN [$now] ELSE [] END)[-20..],
      n.failedAt = ([i IN range(0, size(coalesce(n.failedAt, [])) - 1) WHERE unfailed IS NULL OR i <> unfailed | n.failedAt[i]] + CASE WHEN row.helpful = false THEN [$now] ELSE [] END)[-20..]
  WITH x, n, row, CASE WHEN row.accesses < 0 THEN [i IN range(0, size(n.accessTimes) - 1) WHERE n.accessTimes[i] = x.usedAt][-1] END AS taken
  SET n.accessCount = n.accessCount + row.accesses,
      n.accessTimes = CASE
        WHEN row.accesses > 0 THEN (n.accessTimes + $now)[-20..]
        ELSE [i IN range(0, size(n.accessTimes) - 1) WHERE taken IS NULL OR i <> taken | n.accessTimes[i]] END,
      n.halfLifeHours = CASE
        WHEN n.halfLifeHours IS NULL THEN null
        WHEN n.halfLifeHours * row.factor > 87600.0 THEN 87600.0
        WHEN n.halfLifeHours * row.factor < 1.0 THEN 1.0
        ELSE n.halfLifeHours * row.factor END,
      x.helpful = row.helpful,
      x.usedAt = CASE WHEN row.helpful THEN $now END,
      x.foundAt = CASE WHEN row.helpful IS NOT NULL THEN $now END
}
RETURN size(found) AS given
