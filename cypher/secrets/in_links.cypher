// Reads why notes of a user are linked, and which tag one gave to the other, of links after one by id that were made since a time, for a search for secrets; a page by id.
MATCH (n:Note {user: $owner})
USING INDEX SEEK n:Note(user, status)
WHERE n.status IS NOT NULL
MATCH (n)-[r:LINKS_TO]->(:Note)
WHERE r.id > $after AND r.at >= $since AND coalesce(r.reason, r.gave) IS NOT NULL
WITH n, r ORDER BY r.id LIMIT $limit
RETURN r.id AS place, r.id AS id, r {.reason, .gave} AS texts, {note: n.id, domain: n.domain} AS about
