// Counts whom a user has invited lately, and reads of some users those who are to be told that this one invites them: those who are there, whom nobody has invited to the team lately, nor this one to any, who block nobody of it and have few invitations.
CALL () {
  MATCH (i:Invitation {by: $by})
  USING INDEX SEEK i:Invitation(by, at)
  WHERE i.at > $since
  RETURN count(i) AS given
}
RETURN given, COLLECT {
  UNWIND $users AS id
  MATCH (u:User {id: id})
  USING INDEX SEEK u:User(id)
  WHERE NOT EXISTS { MATCH (i:Invitation {user: id}) USING INDEX SEEK i:Invitation(user, at) WHERE i.at > $since AND i.by = $by }
    AND NOT EXISTS { MATCH (i:Invitation {team: $team, user: id}) USING INDEX SEEK i:Invitation(team, user) WHERE i.at > $since }
    AND NOT EXISTS { (b:InvitationBlock {user: id}) WHERE b.team IN ['', $team] AND b.inviter IN ['', $by] }
    AND COUNT { MATCH (i:Invitation {user: id}) USING INDEX SEEK i:Invitation(user, at) WHERE i.at > $since AND i.open AND coalesce(i.declinedAt < i.at, true) } < $most
  RETURN id
} AS told
