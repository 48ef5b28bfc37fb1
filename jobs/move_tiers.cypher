// Moves notes between tiers by their age and recalls: daily to short-term, episodes compressed by topic, short-term to long-term and back; destroys what is long unused, if that is switched on; and archives what was compressed.
// cron: */5 * * * *
// time zone: UTC
// It moves the notes that are due for a move, or those that plugins have chosen, and archives what was compressed. The notes of topics are written in Python, and so is destroyed what is long unused.
CALL () {
  @aged(n, due, move)
  WITH n, move
  WHERE CASE WHEN $chosen IS NULL THEN due ELSE n.version = $chosen[n.id] END
    AND NOT n.id IN $leftOut AND CASE WHEN $owners IS NULL THEN true ELSE n.user IN $owners END
  WITH n, move ORDER BY n.id LIMIT $limit
  WITH n, move, {to_short_term: ['DAILY', 'SHORT_TERM'], promote: ['LONG_TERM', 'SHORT_TERM'], archive: ['SHORT_TERM', 'LONG_TERM']}[move] AS tiers
  RETURN collect({
    id: n.id, version: n.version, audience: n.audience, owner: n.user, name: move,
    given: CASE move WHEN 'clean' THEN {status: 'ARCHIVED', archivedBy: $actor, curatedKey: null} WHEN 'promote' THEN {tier: tiers[1], promotedAt: $now} ELSE {tier: tiers[1]} END,
    changes: CASE move WHEN 'clean' THEN '{"status": ["' + n.status + '", "ARCHIVED"]}' ELSE '{"tier": ["' + tiers[0] + '", "' + tiers[1] + '"]}' END,
    type: CASE move WHEN 'to_short_term' THEN 'EDIT' WHEN 'promote' THEN 'PROMOTE' ELSE 'ARCHIVE' END,
    summary: CASE move WHEN 'to_short_term' THEN 'moved to short-term memory' WHEN 'promote' THEN 'back in short-term memory'
      WHEN 'archive' THEN 'moved to long-term memory' ELSE 'note archived, as its topic tells it' END,
    data: CASE move WHEN 'clean' THEN '{}' ELSE '{"from": "' + tiers[0] + '", "to": "' + tiers[1] + '"}' END
  }) AS due
}
WITH due, {} AS counts, due[-1].id AS place
@changed(due, counts, place)
