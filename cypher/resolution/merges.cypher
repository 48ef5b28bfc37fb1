// Reads what entities absorbed, and what was parted from them again, newest first; only where readable notes introduce both sides.
UNWIND $ids AS id
MATCH (e:Entity {id: id, user: $user})
CALL (e) {
  MATCH (e)-[:ABSORBED]->{0,20}(:Entity)-[r:ABSORBED|HAD_ABSORBED]->(b:Entity)
  WHERE $merge IS NULL OR r.id = $merge
  MATCH (root:Entity)-[:ABSORBED]->{0,20}(b)
  WHERE NOT EXISTS { (root)<-[:ABSORBED]-(:Entity) }
  WITH e, r, b, root, COLLECT { MATCH (b)-[:ABSORBED]->{0,20}(x:Entity) RETURN x.id } AS homes
  WHERE EXISTS {
    (n:Note)-[m:MENTIONS {given: true}]->(e)
    WHERE (root <> e OR NOT coalesce(m.home, '') IN homes) AND n.audience IN $audiences AND n.expiresAt > $now AND n.status IN $statuses
  }
  CALL (b, root, homes) {
    MATCH (n:Note)-[m:MENTIONS {given: true}]->(root)
    WHERE (root = b OR m.home IN homes) AND n.audience IN $audiences AND n.expiresAt > $now AND n.status IN $statuses
    RETURN m.name AS name ORDER BY n.createdAt, n.id, m.name LIMIT 1
  }
  RETURN r.id AS merge, r.at AS at, r.by AS actor, r.score AS score, name, r.undoneAt IS NOT NULL AS undone
  ORDER BY at DESC, merge DESC
  LIMIT $limit
}
RETURN id, merge, at, actor, score, name, undone
