// Reads what was given for the local notes of a user's agents after one by id that were written since a time, for a search for secrets; a page by id.
MATCH (a:Agent {user: $owner})
WHERE a.id IS NOT NULL
MATCH (a)-[:HAS_SESSION]->(:Session)-[h:HOLDS]->(n:Note)
WHERE n.id > $after AND n.createdAt >= $since
WITH h, n ORDER BY n.id LIMIT $limit
RETURN n.id AS place, n.id AS id, h {.draft} AS texts, {} AS about
