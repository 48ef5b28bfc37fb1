// Reads the newest revisions of readable notes.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.audience IN $audiences AND n.expiresAt > $now
CALL (n) {
  MATCH (n)-[:HAD]->(r:Revision)
  RETURN r ORDER BY r.version DESC LIMIT $limit
}
RETURN n.id AS id, r.version AS version, r.at AS at, r.actor AS actor, r.content AS content, r.changes AS changes
