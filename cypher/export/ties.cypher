// Reads the links that begin at readable notes and whose other end is readable, too, and which notes they took the place of or derive from, from a place on (keyset). Words of a link that was made for other readers are theirs.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE @readable(n)
CALL (n) {
  MATCH (n)-[r:LINKS_TO]->(other:Note)
  WHERE @readable(other) AND n.id + '|l' + r.id > $after
  WITH n, r, other, 'u:' + n.user IN $audiences OR all(then IN [r.sourceThen, r.targetThen] WHERE then IS NULL OR then IN $audiences) AS told
  RETURN n.id + '|l' + r.id AS place, 'link' AS record, r {.id, .strength, .at, by: CASE WHEN $whole THEN r.by END, source: n.id, target: other.id,
    kind: CASE WHEN told THEN r.kind ELSE 'linked' END, reason: CASE WHEN told THEN r.reason END,
    gave: CASE WHEN $whole THEN r.gave END, sourceThen: CASE WHEN $whole THEN r.sourceThen END, targetThen: CASE WHEN $whole THEN r.targetThen END} AS row
  UNION ALL
  MATCH (n)-[r:SUPERSEDES|DERIVED_FROM]->(other:Note)
  WHERE @readable(other) AND n.id + '|o' + other.id + type(r) > $after
  RETURN n.id + '|o' + other.id + type(r) AS place, 'lineage' AS record, r {.at, note: n.id, of: other.id, how: type(r),
    by: CASE WHEN $whole THEN r.by END, reason: CASE WHEN $whole THEN r.reason END} AS row
}
RETURN place, record, row
ORDER BY place
LIMIT $limit
