// Sets what a user has not set: domains that are kept out of promotion in addition to those that are, which rejects nothing; the profile of agents that have none of their own, by which agents that are there see no more; and the default visibility, while it is the initial one and there are no notes. A row comes if one of the last two was set; a write under what held before is refused by the version of the user's access.
MATCH (u:User {id: $user})
SET u.touched = $now
REMOVE u.touched
SET u.promotionOptOuts = CASE WHEN size($optOuts) = 0 THEN u.promotionOptOuts ELSE (coalesce(u.promotionOptOuts, []) + [x IN $optOuts WHERE NOT x IN coalesce(u.promotionOptOuts, [])])[..$most] END
WITH u, $domains IS NOT NULL AND u.agentDomains IS NULL AS profile, NOT EXISTS { (u)-[:OWNS]->(:Agent) } AS alone,
  coalesce(u.defaultVisibility, $initial) = $initial AND coalesce($initial <> $visibility, false) AND NOT EXISTS { MATCH (n:Note {user: $user}) USING INDEX SEEK n:Note(user, status) WHERE n.status IS NOT NULL } AS readers
FOREACH (x IN CASE WHEN profile THEN [u] ELSE [] END | SET x.agentDomains = $domains, x.agentsSeePrivate = $canSeePrivate AND alone)
FOREACH (x IN CASE WHEN readers THEN [u] ELSE [] END | SET x.defaultVisibility = $visibility)
WITH u, profile OR readers AS done
WHERE done
SET u.accessVersion = coalesce(u.accessVersion, 0) + 1
RETURN u.id AS place
