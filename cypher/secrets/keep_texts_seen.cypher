// Keeps how far the texts of a user, or of a team, that are no notes were looked through for secrets, and by which rule.
CALL () {
  MATCH (u:User {id: $user})
  SET u.textsSeen = $seen
  RETURN u.id AS id
  UNION ALL
  MATCH (t:Team {id: $team})
  SET t.textsSeen = $seen
  RETURN t.id AS id
}
RETURN id
