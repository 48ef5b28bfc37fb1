// Reads the reasons in events of a user's stream, after one by number, for a search for secrets; a page by number.
MATCH (e:Event {stream: $owner})
WHERE e.seq > toInteger($after) AND e.data CONTAINS '"reason"'
WITH e ORDER BY e.seq LIMIT $limit
RETURN toString(e.seq) AS place, e.id AS id, e {.data} AS texts, e {.subjectId, .domain} AS about
