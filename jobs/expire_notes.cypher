// Archives the notes whose time is over. No read finds them from that time on, before this has run, too.
// cron: * * * * *
// time zone: UTC
// The rows are the notes whose time ended since a time, after one by id and up to another; they are changed in Python, through the guarded query.
MATCH (n:Note)
USING INDEX SEEK n:Note(expiresAt, importance)
WHERE n.expiresAt > $since AND n.expiresAt <= $now AND n.importance IS NOT NULL AND n.id > $after AND n.id <= $last AND n.status IN $statuses
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.id, .user, .version, .audience, .domain, .status} AS note
ORDER BY note.id
