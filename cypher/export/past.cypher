// Reads revisions and other wordings of readable notes from a place on (keyset), as far as their readers of then may be told of.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE @readable(n)
CALL (n) {
  MATCH (n)-[:HAD]->(r:Revision)
  WHERE @past(r, n)
  WITH n, r, toString(100000000 + r.version) AS at
  WHERE n.id + '|r' + at > $after
  RETURN n.id + '|r' + at AS place, 'revision' AS record, r {.version, .at, .actor, .content, note: n.id,
    audience: CASE WHEN 'u:' + n.user IN $audiences THEN r.audience END, before: CASE WHEN 'u:' + n.user IN $audiences THEN r.before END,
    changes: CASE WHEN r.before IS NULL OR r.before IN $audiences OR 'u:' + n.user IN $audiences THEN r.changes ELSE '{}' END} AS row
  UNION ALL
  MATCH (n)-[:TOLD_AS]->(w:Wording)
  WHERE (@past(w, n)) AND n.id + '|w' + w.id > $after
  RETURN n.id + '|w' + w.id AS place, 'wording' AS record, w {.id, .at, .actor, .content, .title, .speaker, .occurredAt, .metadata, note: n.id,
    audience: CASE WHEN 'u:' + n.user IN $audiences THEN w.audience END, noteId: CASE WHEN 'u:' + n.user IN $audiences THEN w.noteId END} AS row
}
RETURN place, record, row
ORDER BY place
LIMIT $limit
