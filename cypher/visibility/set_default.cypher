// Sets the visibility of a user's notes for which nothing else sets it; whoever writes by the one of before is told by the version of the user's access.
MATCH (u:User {id: $user})
SET u.touched = $now
REMOVE u.touched
SET u.accessVersion = coalesce(u.accessVersion, 0) + 1, u.defaultVisibility = $visibility
RETURN u.id AS id
