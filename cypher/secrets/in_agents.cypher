// Reads what a user's agents are called and say of themselves, after one by id, for a search for secrets; a page by id.
MATCH (a:Agent {user: $owner})
WHERE a.id > $after
WITH a ORDER BY a.id LIMIT $limit
RETURN a.id AS place, a.id AS id, a {.name, .status, .currentTask} AS texts, {} AS about
