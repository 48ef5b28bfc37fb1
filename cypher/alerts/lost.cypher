// Reads which files of a user were destroyed, those that the user has still to be asked about alone if that is asked for, without what an agent was told of, as far as the viewer might read them.
MATCH (l:LostFile {user: $user})
WHERE l.id IS NOT NULL AND l.audience IN $audiences AND (NOT $asked OR NOT l.confirmed) AND ($agent IS NULL OR NOT $agent IN l.toldTo)
WITH l ORDER BY l.at DESC, l.id LIMIT 20
RETURN collect(l {.file, .id, .version, .audience, .domain, .actor, at: l.at.epochMillis}) AS rows
