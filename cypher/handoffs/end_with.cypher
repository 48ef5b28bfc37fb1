// Ends the tasks of a session: nothing is lent for them any more.
MATCH (h:Handoff)-[:FOR_SESSION]->(:Session {id: $session})
WHERE h.endedAt IS NULL
SET h.endedAt = $now
WITH h
OPTIONAL MATCH (h)-[l:LENDS]->()
OPTIONAL MATCH (h)-[t:TO]->()
DELETE l, t
RETURN count(DISTINCT h) AS ended
