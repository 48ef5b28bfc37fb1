// What changed in a user's memory since an instant? Newest first.
// :param {user: 'me', since: '2026-01-01T00:00:00Z'}
MATCH (e:Event {stream: $user})
WHERE e.at >= datetime($since)
RETURN e.at AS at, e.type AS type, e.actor AS actor, e.subjectId AS note, e.summary AS summary
ORDER BY e.seq DESC
LIMIT 200
