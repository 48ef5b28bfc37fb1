// Finds the user after one by id, where a job can't read a row and goes on behind it.
MATCH (u:User)
USING INDEX SEEK u:User(id)
WHERE u.id > $after
RETURN u.id AS place
ORDER BY place
LIMIT 1
