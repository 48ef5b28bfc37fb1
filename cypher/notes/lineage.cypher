// Finds the readable notes that took the place of notes, and those that notes derive from.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.audience IN $audiences
CALL (n) {
  MATCH (n)<-[s:SUPERSEDES]-(other:Note)
  WHERE @readable(other) AND n.status IN ['SUPERSEDED', 'ARCHIVED']
  RETURN 'supersededBy' AS kind, other.id AS other ORDER BY s.at DESC, other DESC LIMIT 1
  UNION ALL
  MATCH (n)-[:DERIVED_FROM]->(other:Note)
  WHERE @readable(other)
  RETURN 'derivedFrom' AS kind, other.id AS other ORDER BY other LIMIT 100
}
RETURN n.id AS id, kind, other
