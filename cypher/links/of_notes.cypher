// Reads the links of readable notes from both ends; the other end must be readable too.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.audience IN $audiences
CALL (n) {
  MATCH (n)-[r:LINKS_TO]-(other:Note)
  WHERE other.audience IN $audiences AND other.expiresAt > $now AND other.status IN $statuses
  RETURN r, startNode(r).id AS source, endNode(r).id AS target
  ORDER BY r.strength DESC, r.id
  LIMIT $limit
}
RETURN n.id AS note, r.id AS id, r.kind AS kind, r.strength AS strength, r.reason AS reason, source, target, r.at AS at
