// Sets the profile of a user's agents that have none of their own; a write under the old one is refused by the version of the user's access.
MATCH (u:User {id: $user})
SET u.touched = $now
REMOVE u.touched
SET u.accessVersion = coalesce(u.accessVersion, 0) + 1, u.agentDomains = $domains, u.agentsSeePrivate = $canSeePrivate
RETURN u.id AS id
