// Counts events that are older than the audit is kept in a digest of their month, and takes them away. Revisions stay.
// cron: 0 5 * * *
// time zone: UTC
// The rows are users with such events, by id after one; the events are counted in Python, page by page.
MATCH (e:Event)
USING INDEX SEEK e:Event(at)
WHERE e.at < $before AND e.stream > $after
WITH DISTINCT e.stream AS user
RETURN user
ORDER BY user
LIMIT $limit
