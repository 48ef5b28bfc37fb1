// Tells what stands against promoting a note of a user to a team: domains that the user keeps out of it, an open proposal of it, what the team knows of it, and that it was found with somebody else.
MATCH (u:User {id: $user})
RETURN coalesce(u.promotionOptOuts, []) AS optOuts,
  EXISTS { (p:Proposal {team: $team})-[:ABOUT]->(:Note {id: $note}) WHERE p.status IN $open AND p.expiresAt > $now } AS proposed,
  EXISTS { (k:Note {id: $note}) WHERE k.foundElsewhere } AS found,
  EXISTS { (k:Note)-[:PROMOTED_FROM]->(:Note {id: $note}) WHERE k.user = $owner } AS known
