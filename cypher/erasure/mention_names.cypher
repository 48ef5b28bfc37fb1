// Lists the names by which a user's notes mention entities that have one of some names, by key, among theirs.
MATCH (e:Entity {user: $user})<-[m:MENTIONS]-(:Note)
WHERE e.key IS NOT NULL AND any(key IN m.keys WHERE key IN $keys)
UNWIND m.names AS name
RETURN DISTINCT name
