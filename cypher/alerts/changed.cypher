// Reads which files of a user, by the keys of their external ids, have another version than the one that the user was told of, as far as the viewer may read them.
UNWIND $keys AS key
MATCH (n:Note {user: $user, externalKey: key}) USING INDEX SEEK n:Note(user, externalKey)
WHERE n.audience IN $audiences AND n.expiresAt > $now AND n.version > coalesce(n.toldVersion, 1)
RETURN n.id AS id, coalesce(n.toldVersion, 1) AS told
