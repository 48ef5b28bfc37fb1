// Reads the teams that a user is invited to, the newest invitations first.
MATCH (:User {id: $user})-[i:INVITED_TO]->(t:Team)
WITH i, t ORDER BY i.at DESC, t.id LIMIT 100
RETURN collect({team: t.id, name: t.name, by: i.by, at: i.at.epochMillis}) AS rows
