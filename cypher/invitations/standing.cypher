// Reads if a user is invited to a team, by somebody who is in it, and neither has declined that nor blocks either.
RETURN EXISTS {
  MATCH (i:Invitation {team: $team, user: $user})
  USING INDEX SEEK i:Invitation(team, user)
  WHERE i.at > $since AND i.open AND coalesce(i.declinedAt < i.at, true) AND EXISTS { (:User {id: i.by})-[:MEMBER_OF]->(:Team {id: i.team}) } AND NOT EXISTS {
    (b:InvitationBlock {user: $user}) WHERE b.team IN ['', i.team] AND b.inviter IN ['', i.by]
  }
} AS invited
