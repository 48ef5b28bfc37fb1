// Reads the newest revisions of readable notes, as far as their readers of then may be told of: what a note was before it got readers stays with those who could read it, and of what a team has no earlier words are told: they were taken back.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE @readable(n)
CALL (n) {
  MATCH (n)-[:HAD]->(r:Revision)
  WHERE (@past(r, n)) AND (n.section IS NULL OR r.version = n.version)
  RETURN r ORDER BY r.version DESC LIMIT $limit
}
RETURN n.id AS id, r.version AS version, r.at AS at, r.actor AS actor, r.content AS content,
       CASE WHEN r.before IS NULL OR r.before IN $audiences OR 'u:' + n.user IN $audiences THEN r.changes ELSE '{}' END AS changes
