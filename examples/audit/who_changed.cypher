// Who changed a user's notes how often, and when last?
// :param {user: 'me'}
MATCH (e:Event {stream: $user})
WHERE e.type IN ['EDIT', 'APPEND', 'MERGE', 'REVERT', 'RENAME', 'ARCHIVE', 'DELETE']
RETURN e.actor AS actor, e.type AS type, count(*) AS changes, max(e.at) AS last
ORDER BY last DESC
LIMIT 100
