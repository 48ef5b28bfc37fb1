// Tells what stands against promoting a note of a user to a team: domains that the user keeps out of it, an open proposal of it and what the team knows of it, both as far as the viewer reads them ($shared: audiences of teams, null: all), and that it was found with somebody else; but for one proposal, if that is given.
MATCH (u:User {id: $user})
RETURN coalesce(u.promotionOptOuts, []) AS optOuts,
  EXISTS { (p:Proposal {team: $team})-[:ABOUT]->(:Note {id: $note}) WHERE p.status IN $open AND p.expiresAt > $now
    AND p.id <> $but AND CASE p.consented WHEN true THEN p.audience IN coalesce($shared, [p.audience]) ELSE true END } AS proposed,
  EXISTS { (k:Note {id: $note}) WHERE k.foundElsewhere } AS found,
  EXISTS { (k:Note)-[:PROMOTED_FROM]->(:Note {id: $note}) WHERE k.user = $owner AND k.audience IN coalesce($known, [k.audience]) } AS known
