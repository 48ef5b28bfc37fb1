// Closes a session.
MATCH (s:Session {id: $id})
SET s.closedAt = coalesce(s.closedAt, $now)
REMOVE s.closing
RETURN s.id AS id
