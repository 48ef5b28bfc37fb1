// Lists the notes that are old enough for one of the moves of which $bounds has numbers, after one by id and up to another, with whether their recalls are for the move; a plugin may decide otherwise.
@aged(n, due, move)
WITH n, due WHERE due OR $plugins
WITH n, due ORDER BY n.id LIMIT $limit
RETURN n {.id, .user, .version, .audience, .domain, .kind, .status, .title, .tags, due: due} AS note
ORDER BY note.id
