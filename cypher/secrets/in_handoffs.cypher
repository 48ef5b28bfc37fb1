// Reads the summaries of a user's handoffs after one by id that were made since a time, for a search for secrets; a page by id.
MATCH (h:Handoff {user: $owner})
WHERE h.id > $after AND h.at >= $since
WITH h ORDER BY h.id LIMIT $limit
RETURN h.id AS place, h.id AS id, h {.summary} AS texts, {} AS about
