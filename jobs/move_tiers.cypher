// Moves notes between tiers by their age and recalls: daily to short-term, episodes compressed by topic, short-term to long-term and back; destroys what is long unused, if that is switched on; and archives what was compressed.
// cron: */5 * * * *
// time zone: UTC
// The rows are the notes that are old enough, after one by id and up to another, with whether their recalls are for the move; a plugin may decide otherwise. The changes follow in Python, through the guarded query.
CALL () {
  WITH * WHERE $move = 'to_short_term'
  MATCH (n:Note)
  USING INDEX SEEK n:Note(tier, kind, createdAt)
  WHERE n.tier = 'DAILY' AND n.kind IN ['SEMANTIC', 'PROCEDURAL'] AND n.createdAt <= $until
  RETURN n, true AS due
  UNION ALL
  WITH * WHERE $move = 'compress'
  MATCH (n:Note)
  USING INDEX SEEK n:Note(tier, kind, createdAt)
  WHERE n.tier = 'DAILY' AND n.kind = 'EPISODIC' AND n.createdAt <= $until AND n.expiresAt >= datetime('9999-12-30T00:00:00Z')
    AND NOT (n.pinned OR n.loadBearing OR n.coreBlock IS NOT NULL) AND NOT n:Skill AND NOT n:Knowledge
    AND NOT EXISTS { (n)<-[d:DERIVED_FROM]-(:Note) WHERE d.by = $maker }
  RETURN n, true AS due
  UNION ALL
  WITH * WHERE $move = 'clean'
  MATCH (n:Note)
  USING INDEX SEEK n:Note(tier, kind, createdAt)
  WHERE n.tier = 'DAILY' AND n.kind = 'EPISODIC' AND n.createdAt <= $until
    AND NOT (n.pinned OR n.loadBearing OR n.coreBlock IS NOT NULL)
    AND EXISTS { (n)<-[d:DERIVED_FROM]-(t:Note) WHERE d.by = $maker AND d.at <= $until AND t.status IN ['ACTIVE', 'FADING', 'DORMANT'] }
  RETURN n, true AS due
  UNION ALL
  WITH * WHERE $move = 'promote'
  MATCH (r:Recall)-[:RETURNED {tier: 'LONG_TERM'}]->(n:Note)
  WHERE r.at >= $until AND n.tier = 'LONG_TERM'
  WITH n, count(r) AS recalls
  RETURN n, recalls >= $recalls AS due
  UNION ALL
  WITH * WHERE $move = 'archive'
  MATCH (n:Note)
  USING INDEX SEEK n:Note(tier, kind, createdAt)
  WHERE n.tier = 'SHORT_TERM' AND n.kind IN ['EPISODIC', 'SEMANTIC', 'PROCEDURAL'] AND n.createdAt <= $until
    AND NOT (n.pinned OR n.loadBearing OR n.coreBlock IS NOT NULL)
  RETURN n, coalesce(n.accessTimes[-1] < $until, true) AND coalesce(n.promotedAt < $cooled, true)
    AND COUNT { MATCH (r:Recall)-[:RETURNED]->(n) WHERE r.at >= $until } <= $recalls AS due
  UNION ALL
  WITH * WHERE $move = 'purge'
  MATCH (n:Note)
  USING INDEX SEEK n:Note(tier, kind, createdAt)
  WHERE n.tier = 'LONG_TERM' AND n.kind IN ['EPISODIC', 'SEMANTIC', 'PROCEDURAL'] AND n.createdAt <= $until
    AND NOT (n.pinned OR n.loadBearing OR n.coreBlock IS NOT NULL)
  RETURN n, coalesce(n.accessTimes[-1] < $until, true) AND coalesce(n.promotedAt < $until, true) AS due
}
WITH n, due
WHERE n.id > $after AND n.id <= $last AND n.expiresAt > $now AND ($move = 'purge' OR n.status IN ['ACTIVE', 'FADING', 'DORMANT']) AND (due OR $plugins)
WITH n, due ORDER BY n.id LIMIT $limit
RETURN n {.id, .user, .version, .audience, .domain, .kind, .status, .title, .tags, due: due} AS note
ORDER BY note.id
