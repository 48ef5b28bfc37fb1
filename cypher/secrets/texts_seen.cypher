// Returns how far the texts of a user, or of a team, that are no notes were looked through for secrets, and by which rule.
RETURN coalesce(COLLECT { MATCH (u:User {id: $user}) RETURN u.textsSeen }[0], COLLECT { MATCH (t:Team {id: $team}) RETURN t.textsSeen }[0]) AS seen
