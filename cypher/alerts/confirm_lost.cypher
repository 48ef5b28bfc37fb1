// Keeps that the user in person has heard that a file was destroyed; no row when it was confirmed.
MATCH (l:LostFile {user: $user, id: $id})
SET l.touched = $now
REMOVE l.touched
WITH l
WHERE NOT l.confirmed
SET l.confirmed = true
RETURN l.id AS id
