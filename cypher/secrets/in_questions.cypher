// Reads the questions of a user after one by id that were asked since a time, for a search for secrets; a page by id.
MATCH (r:Recall {user: $owner})
USING INDEX SEEK r:Recall(user, cycle)
WHERE r.cycle IS NOT NULL AND r.id > $after AND r.at >= $since AND r.query IS NOT NULL
WITH r ORDER BY r.id LIMIT $limit
RETURN r.id AS place, r.id AS id, r {.query} AS texts, {judged: r.asker IS NOT NULL} AS about
