// Counts events that are older than the audit is kept in a digest of their month, and takes them away, with the records of recalls that are as old. Revisions stay.
// cron: 0 5 * * *
// time zone: UTC
// The rows are users with such events or recalls, by id after one; the events are counted in Python, page by page.
CALL () {
  MATCH (e:Event)
  USING INDEX SEEK e:Event(at)
  WHERE e.at < $before AND e.stream > $after
  RETURN DISTINCT e.stream AS user
  UNION
  MATCH (r:Recall)
  USING INDEX SEEK r:Recall(at)
  WHERE r.at < $before AND r.user > $after
  RETURN DISTINCT r.user AS user
}
RETURN user
ORDER BY user
LIMIT $limit
