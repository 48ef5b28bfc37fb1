// Archives the notes whose time is over. No read finds them from that time on, before this has run, too.
// cron: * * * * *
// time zone: UTC
// It goes through the notes whose time ended since a time, after one by id and up to another.
CALL () {
  MATCH (n:Note)
  USING INDEX SEEK n:Note(expiresAt, importance)
  WHERE n.expiresAt > $since AND n.expiresAt <= $now AND n.importance IS NOT NULL AND n.id > $after AND n.id <= $last
    AND n.status IN ['ACTIVE', 'FADING', 'DORMANT'] AND NOT n.id IN $leftOut AND CASE WHEN $owners IS NULL THEN true ELSE n.user IN $owners END
  WITH n ORDER BY n.id LIMIT $limit
  WITH n, {
    id: n.id, version: n.version, audience: n.audience, owner: n.user, name: 'expired',
    given: {status: 'ARCHIVED', archivedBy: $actor, curatedKey: null}, changes: '{"status": ["' + n.status + '", "ARCHIVED"]}',
    type: 'ARCHIVE', summary: 'note expired', data: '{}'
  } AS row
  RETURN collect(row) AS due
}
WITH due, {} AS counts, due[-1].id AS place
@changed(due, counts, place)
