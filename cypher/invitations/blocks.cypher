// Reads whose invitations a user blocks, the newest blocks first.
MATCH (b:InvitationBlock {user: $user})
WHERE b.team IS NOT NULL AND b.inviter IS NOT NULL
WITH b ORDER BY b.at DESC, b.team, b.inviter LIMIT 1000
RETURN collect({team: b.team, inviter: b.inviter, at: b.at.epochMillis}) AS rows
