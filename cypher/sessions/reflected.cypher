// Keeps that sessions were reflected on.
UNWIND $ids AS id
MATCH (s:Session {id: id})
SET s.reflectedAt = $now
RETURN count(s) AS reflected
