// Keeps up to which note the notes of a user were looked through for secrets, and by which rule.
MATCH (u:User {id: $user})
SET u.secretsSeen = $seen
RETURN u.id AS user
