// Gives a row unless somebody has written for more audiences than $most; to be asked under the lock of the user's events, so that requests at the same time count, too.
OPTIONAL MATCH (u:User {id: $user})
OPTIONAL MATCH (a:Agent {user: $user, id: $agent})
WITH CASE WHEN $agent IS NULL THEN COUNT { (u)-[:WRITES_FOR]->() } ELSE COUNT { (a)-[:WRITES_FOR]->() } END AS written
WHERE written <= $most
RETURN written
