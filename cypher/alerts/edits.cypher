// Reads the newest revisions of files after a version, and the last one up to it, as far as their readers of then may be told of, as those of any note.
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
WHERE @readable(n)
CALL (n, row) {
  MATCH (n)-[:HAD]->(r:Revision)
  WHERE r.version > row.since AND (@past(r, n))
  RETURN r ORDER BY r.version DESC LIMIT $limit
  UNION
  MATCH (n)-[:HAD]->(r:Revision)
  WHERE r.version <= row.since AND (@past(r, n))
  RETURN r ORDER BY r.version DESC LIMIT 1
}
RETURN n.id AS id, r.version AS version, r.at AS at, r.actor AS actor, r.content AS content,
       CASE WHEN r.before IS NULL OR r.before IN $audiences OR 'u:' + n.user IN $audiences THEN r.changes ELSE '{}' END AS changes
ORDER BY id, version DESC
