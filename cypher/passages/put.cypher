// Gives notes the passages of their texts in place of those that they had, each with what a search of its note filters by.
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
CALL (n) {
  MATCH (n)-[:HAS_PASSAGE]->(p:Passage)
  DETACH DELETE p
}
CALL (n, row) {
  UNWIND row.passages AS each
  CREATE (n)-[:HAS_PASSAGE]->(p:Passage {from: each.from, to: each.to, words: each.words, audience: n.audience, status: n.status, tier: n.tier, kind: n.kind, type: n.type,
    happenedAt: n.happenedAt, createdAt: n.createdAt, validFrom: n.validFrom, validTo: n.validTo, expiresAt: n.expiresAt})
  WITH p, each
  CALL db.create.setNodeVectorProperty(p, 'embedding', each.embedding)
}
RETURN count(n) AS notes
