// Which of a user's notes were put away, by whom or by what, and with which reason? Newest first.
// :param {user: 'me'}
MATCH (e:Event {stream: $user})
WHERE e.type = 'ARCHIVE' OR (e.type = 'DECAY' AND e.summary ENDS WITH 'archived')
OPTIONAL MATCH (n:Note {id: e.subjectId})-[:HAD]->(r:Revision)
WHERE r.at = e.at
RETURN e.at AS at, e.actor AS actor, n.title AS title, n.status AS status, r.changes AS reason
ORDER BY e.seq DESC
LIMIT 200
