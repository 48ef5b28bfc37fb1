// settled(n): makes what hangs on a note follow a change of its status, tier or times: whether it is current, its relations and its passages.
REMOVE n:Current
FOREACH (current IN CASE WHEN n.status = 'ACTIVE' AND n.tier <> 'LONG_TERM' AND n.validFrom <= datetime('0001-01-02T00:00:00Z') AND n.validTo >= datetime('9999-12-30T00:00:00Z') AND n.expiresAt >= datetime('9999-12-30T00:00:00Z') THEN [n] ELSE [] END | SET current:Current)
WITH *
CALL (n) {
  MATCH ()-[r:RELATES_TO {noteId: n.id}]->()
  SET r.status = n.status
}
CALL (n) {
  MATCH (n)-[:HAS_PASSAGE]->(p:Passage)
  SET p.audience = n.audience, p.status = n.status, p.tier = n.tier, p.kind = n.kind, p.type = n.type, p.happenedAt = n.happenedAt,
      p.createdAt = n.createdAt, p.validFrom = n.validFrom, p.validTo = n.validTo, p.expiresAt = n.expiresAt
}
