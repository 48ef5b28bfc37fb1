// Returns up to which note the notes of a user were looked through for secrets, and by which rule.
MATCH (u:User {id: $user})
RETURN u.secretsSeen AS seen
