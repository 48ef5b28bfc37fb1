// Reads the oldest events of a user's stream from before an instant, whoever may read them; for the job that counts them.
MATCH (e:Event {stream: $user})
USING INDEX SEEK e:Event(stream, seq)
WHERE e.seq > 0 AND e.at < $before
WITH e ORDER BY e.stream, e.seq LIMIT $limit
RETURN collect({id: e.id, seq: e.seq, at: e.at.epochMillis, type: e.type, channel: e.channel, actor: e.actor, subjectId: e.subjectId, summary: e.summary, data: e.data, own: e.audience = 'u:' + $user OR e.audience STARTS WITH 'u:' + $user + '/'}) AS rows
