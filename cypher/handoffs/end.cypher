// Ends a handoff of a user, by one of its two agents or in person: nothing is lent for it any more.
MATCH (h:Handoff {id: $id, user: $user})
WHERE $agent IS NULL OR h.receiver = $agent OR h.sender = $agent
SET h.endedAt = coalesce(h.endedAt, $now)
WITH h
OPTIONAL MATCH (h)-[l:LENDS]->()
OPTIONAL MATCH (h)-[t:TO]->()
DELETE l, t
RETURN DISTINCT h.id AS id
