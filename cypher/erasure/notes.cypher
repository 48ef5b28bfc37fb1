// Reads the ids of some notes of an owner, whatever their state; for erasing them, so nobody is asked who may read.
MATCH (n:Note {user: $owner})
USING INDEX SEEK n:Note(user, status)
WHERE n.status IS NOT NULL
RETURN n.id AS id
LIMIT $limit
