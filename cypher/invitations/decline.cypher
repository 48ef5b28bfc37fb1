// Declines the invitation of a user to a team, of which whoever gave it is not told; no row when there is none any more.
MATCH (i:Invitation {team: $team, user: $user})
USING INDEX SEEK i:Invitation(team, user)
SET i.touched = $now
REMOVE i.touched
WITH i
WHERE i.open AND coalesce(i.declinedAt < i.at, true)
SET i.declinedAt = $now
RETURN i.team AS team
