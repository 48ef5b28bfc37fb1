// Reads the tasks of the sessions of a user's agents after one by id that began since a time, for a search for secrets; a page by id.
MATCH (a:Agent {user: $owner})
WHERE a.id IS NOT NULL
MATCH (a)-[:HAS_SESSION]->(s:Session)
WHERE s.id > $after AND s.openedAt >= $since AND s.task IS NOT NULL
WITH s ORDER BY s.id LIMIT $limit
RETURN s.id AS place, s.id AS id, s {.task} AS texts, {} AS about
