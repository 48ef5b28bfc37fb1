// Finds the session in which each of some readable notes was written, if any.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.audience IN $audiences
MATCH (s:Session)-[r:HOLDS|PROMOTED]->(n)
WHERE r.added IS NULL OR r.added
RETURN id, min(s.id) AS session
LIMIT 2000
