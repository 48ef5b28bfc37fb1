// Lists by which names a user's notes mention entities.
MATCH (e:Entity {user: $user})<-[m:MENTIONS]-(:Note)
WHERE e.key IS NOT NULL
UNWIND m.names AS name
RETURN DISTINCT name
