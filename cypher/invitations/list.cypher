// Reads the teams that a user is invited to, the newest invitations first, at most five of each who invites: those of which whoever gave them is in the team, which the user neither declined lately nor blocks.
MATCH (i:Invitation {user: $user})
USING INDEX SEEK i:Invitation(user, at)
WHERE i.at > $since AND i.open AND coalesce(i.declinedAt, $since) <= $since
  AND EXISTS { (:User {id: i.by})-[:MEMBER_OF]->(:Team {id: i.team}) } AND NOT EXISTS {
    (b:InvitationBlock {user: $user}) WHERE b.team IN ['', i.team] AND b.inviter IN ['', i.by]
  }
WITH i ORDER BY i.at DESC, i.team LIMIT 10000
WITH i.by AS by, collect(i)[..5] AS newest
UNWIND newest AS i
MATCH (t:Team {id: i.team})
WITH i, t ORDER BY i.at DESC, i.team LIMIT 100
RETURN collect({team: t.id, name: t.name, by: i.by, at: i.at.epochMillis}) AS rows
