// What changed recently?
MATCH (e:Event {stream: $user})
WHERE e.at >= $since
RETURN e.at AS at, e.type AS type, e.actor AS actor, e.summary AS summary, e.subjectId AS note
ORDER BY e.seq LIMIT 200
