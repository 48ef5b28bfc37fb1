// Keeps that the user in person has confirmed a file up to a version; no row when it is gone, has not got so far or was confirmed up to there.
MATCH (n:Note {id: $id, user: $user})
SET n.touched = $now
REMOVE n.touched
WITH n
WHERE n.audience = $audience AND n.version >= $version AND coalesce(n.confirmedVersion, 1) < $version
SET n.confirmedVersion = $version
RETURN n.id AS id
