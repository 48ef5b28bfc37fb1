// Takes nothing more into the local memory of a session.
MATCH (s:Session {id: $id, user: $user, agent: $agent})
SET s.closing = true
RETURN s.id AS id
