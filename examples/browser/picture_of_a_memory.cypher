// What does a memory look like? The newest notes of a user with all that hangs on them, but for what the service keeps for itself.
:param user => 'mara';
MATCH (n:Note {user: $user})
WITH n ORDER BY n.createdAt DESC LIMIT 30
MATCH (n)-[r]-(other)
WHERE NOT other:System
RETURN n, r, other LIMIT 300;
