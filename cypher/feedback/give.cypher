// Sets whether a recall and notes of it helped, if each note's finding is still the one that was read; accesses that come of it are counted or taken back, half-lives grow or shrink within their bounds.
MATCH (r:Recall {id: $recall})
SET r.helpful = $helpful, r.judgedAt = $now  // whoever else finds something of this recall waits here
WITH r
CALL (r) {
  UNWIND $rows AS row
  MATCH (r)-[x:RETURNED]->(n:Note {id: row.id})
  WHERE n.audience IN $audiences AND (x.helpful = row.old OR x.helpful IS NULL AND row.old IS NULL)
  RETURN collect({x: x, n: n, row: row}) AS found
}
WITH found
WHERE size(found) = size($rows)
CALL (found) {
  UNWIND found AS each
  WITH each.x AS x, each.n AS n, each.row AS row
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
      x.usedAt = CASE WHEN row.helpful THEN $now END
}
RETURN size(found) AS given
