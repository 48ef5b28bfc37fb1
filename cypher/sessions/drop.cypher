// Counts what a session has dropped.
MATCH (s:Session {id: $id})
SET s.dropped = s.dropped + $dropped
RETURN s.dropped AS dropped
