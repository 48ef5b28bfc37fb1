// Reads what is posted on the board of a team after a place by scope and key, of posts since a time, for a search for secrets; a page by place.
MATCH (b:BoardEntry {team: $owner})
WHERE b.scope IS NOT NULL AND b.key IS NOT NULL AND b.updatedAt >= $since
WITH b, b.scope + '\n' + b.key AS place
WHERE place > $after
WITH b, place ORDER BY place LIMIT $limit
RETURN place, b.key AS id, b {.value} AS texts, b {.scope, .version, .audience} AS about
