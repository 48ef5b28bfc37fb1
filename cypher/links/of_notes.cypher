// Reads the links of readable notes from both ends; the other end must be readable too. Words of a link that was made for other readers are theirs.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.audience IN $audiences
CALL (n) {
  MATCH (n)-[r:LINKS_TO]-(other:Note)
  WHERE @readable(other) AND other.status IN $statuses
  WITH r, 'u:' + n.user IN $audiences OR all(then IN [r.sourceThen, r.targetThen] WHERE then IS NULL OR then IN $audiences) AS told
  RETURN r, told, startNode(r).id AS source, endNode(r).id AS target
  ORDER BY r.strength DESC, r.id
  LIMIT $limit
}
RETURN n.id AS note, r.id AS id, CASE WHEN told THEN r.kind ELSE 'linked' END AS kind, r.strength AS strength, CASE WHEN told THEN r.reason END AS reason, source, target, r.at AS at
