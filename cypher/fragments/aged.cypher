// aged(n, due, move): the notes of users, not of teams, that are old enough for one of the moves between tiers of which $bounds has numbers, after one by id and up to another, each with its move and whether its recalls are for it.
CALL () {
  WITH * WHERE $bounds.to_short_term IS NOT NULL
  MATCH (n:Note)
  USING INDEX SEEK n:Note(tier, kind, createdAt)
  WHERE n.tier = 'DAILY' AND n.kind IN ['SEMANTIC', 'PROCEDURAL'] AND n.createdAt <= $bounds.to_short_term.until
  RETURN n, true AS due, 'to_short_term' AS move
  UNION ALL
  WITH * WHERE $bounds.compress IS NOT NULL
  MATCH (n:Note)
  USING INDEX SEEK n:Note(tier, kind, createdAt)
  WHERE n.tier = 'DAILY' AND n.kind = 'EPISODIC' AND n.createdAt <= $bounds.compress.until AND n.expiresAt >= datetime('9999-12-30T00:00:00Z')
    AND NOT (n.pinned OR n.loadBearing OR n.coreBlock IS NOT NULL) AND NOT n:Skill AND NOT n:Knowledge
    AND NOT EXISTS { (n)<-[d:DERIVED_FROM]-(:Note) WHERE d.by = $maker }
  RETURN n, true AS due, 'compress' AS move
  UNION ALL
  WITH * WHERE $bounds.clean IS NOT NULL
  MATCH (n:Note)
  USING INDEX SEEK n:Note(tier, kind, createdAt)
  WHERE n.tier = 'DAILY' AND n.kind = 'EPISODIC' AND n.createdAt <= $bounds.clean.until
    AND NOT (n.pinned OR n.loadBearing OR n.coreBlock IS NOT NULL)
    AND EXISTS { (n)<-[d:DERIVED_FROM]-(t:Note) WHERE d.by = $maker AND d.at <= $bounds.clean.until AND t.status IN ['ACTIVE', 'FADING', 'DORMANT'] }
  RETURN n, true AS due, 'clean' AS move
  UNION ALL
  WITH * WHERE $bounds.promote IS NOT NULL
  MATCH (r:Recall)-[:RETURNED {tier: 'LONG_TERM'}]->(n:Note)
  WHERE r.at >= $bounds.promote.until AND n.tier = 'LONG_TERM'
  WITH n, count(r) AS recalls
  RETURN n, recalls >= $bounds.promote.recalls AS due, 'promote' AS move
  UNION ALL
  WITH * WHERE $bounds.archive IS NOT NULL
  MATCH (n:Note)
  USING INDEX SEEK n:Note(tier, kind, createdAt)
  WHERE n.tier = 'SHORT_TERM' AND n.kind IN ['EPISODIC', 'SEMANTIC', 'PROCEDURAL'] AND n.createdAt <= $bounds.archive.until
    AND NOT (n.pinned OR n.loadBearing OR n.coreBlock IS NOT NULL)
  RETURN n, coalesce(n.accessTimes[-1] < $bounds.archive.until, true) AND coalesce(n.promotedAt < $bounds.archive.cooled, true)
    AND COUNT { MATCH (r:Recall)-[:RETURNED]->(n) WHERE r.at >= $bounds.archive.until } <= $bounds.archive.recalls AS due, 'archive' AS move
  UNION ALL
  WITH * WHERE $bounds.purge IS NOT NULL
  MATCH (n:Note)
  USING INDEX SEEK n:Note(tier, kind, createdAt)
  WHERE n.tier = 'LONG_TERM' AND n.kind IN ['EPISODIC', 'SEMANTIC', 'PROCEDURAL'] AND n.createdAt <= $bounds.purge.until
    AND NOT (n.pinned OR n.loadBearing OR n.coreBlock IS NOT NULL)
  RETURN n, coalesce(n.accessTimes[-1] < $bounds.purge.until, true) AND coalesce(n.promotedAt < $bounds.purge.until, true) AS due, 'purge' AS move
}
WITH n, due, move
WHERE n.id > $after AND n.id <= $last AND n.section IS NULL AND n.expiresAt > $now AND (move = 'purge' OR n.status IN ['ACTIVE', 'FADING', 'DORMANT'])
