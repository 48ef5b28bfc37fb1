// Follows the links of notes one step, the gate on both ends, the strongest of each note first; of one kind and among some notes where these are given. The kind of a link that was made for other readers is not told, so none of it is asked for, either.
// coalesce keeps the planner from an index: in a small graph it would read all notes of the audiences first and follow links then.
UNWIND $notes AS id
MATCH (s:Note {id: id})
WHERE s.audience IN $audiences
CALL (s) {
  MATCH (s)-[r:LINKS_TO]-(x:Note)
  WHERE ($among IS NULL OR x.id IN $among)
    AND x.audience IN $audiences AND x.status IN $statuses AND x.tier IN $tiers AND x.expiresAt > $now
    AND coalesce(x.createdAt, $at) <= $at AND x.validFrom <= $at AND x.validTo > $at
  WITH x, CASE WHEN all(then IN [r.sourceThen, r.targetThen] WHERE then IS NULL OR then IN $audiences) THEN r.kind ELSE 'linked' END AS kind, r.strength AS strength
  WHERE $kind IS NULL OR kind = $kind
  RETURN x, kind
  ORDER BY strength DESC, x.id, kind LIMIT $linkFan
}
RETURN collect([s.id, x.id, kind]) AS rows
