// Blocks the invitations to a team, those by a user, both of one another or all of them, or no longer does; a row comes unless the user blocks too many.
MATCH (u:User {id: $user})
SET u.touched = $now
REMOVE u.touched
WITH u
WHERE NOT $block OR EXISTS { (:InvitationBlock {user: $user, team: $team, inviter: $inviter}) }
  OR COUNT { (b:InvitationBlock {user: $user}) WHERE b.team IS NOT NULL AND b.inviter IS NOT NULL } < $most
CALL () {
  WITH * WHERE $block
  MERGE (b:InvitationBlock {user: $user, team: $team, inviter: $inviter})
    ON CREATE SET b:System, b.at = $now
}
CALL () {
  WITH * WHERE NOT $block
  MATCH (b:InvitationBlock {user: $user, team: $team, inviter: $inviter})
  DELETE b
}
RETURN u.id AS user
