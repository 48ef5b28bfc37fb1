// What changed last week? Each event about a note, with who did it; deleted notes have no text any more.
:param user => 'mara';
:param since => datetime() - duration('P7D');
MATCH (e:Event {stream: $user})
WHERE e.at >= $since AND e.type <> 'CREATE'
OPTIONAL MATCH (n:Note {id: e.subjectId})
RETURN e.at AS at, e.type AS type, e.actor AS who, e.summary AS what, coalesce(n.title, left(n.content, 60)) AS note
ORDER BY e.seq DESC LIMIT 100;
