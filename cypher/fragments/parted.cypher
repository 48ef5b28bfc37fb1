// parted(n, row): gives a note the passages of its text in place of those that it had, each with what a search of its note filters by. Those of the other slot of vectors stay.
CALL (n) {
  MATCH (n)-[:HAS_PASSAGE]->(p:Passage)
  WHERE p.embedding2 IS NULL
  DETACH DELETE p
}
CALL (n, row) {
  UNWIND row.passages AS each
  CREATE (n)-[:HAS_PASSAGE]->(p:Passage {from: each.from, to: each.to, words: each.words, audience: n.audience, status: n.status, tier: n.tier, kind: n.kind, type: n.type,
    happenedAt: n.happenedAt, createdAt: n.createdAt, validFrom: n.validFrom, validTo: n.validTo, expiresAt: n.expiresAt})
  WITH p, each
  CALL db.create.setNodeVectorProperty(p, 'embedding', each.vector)
}
