// Lists the events of a stream that may be read, between two numbers, oldest first, each with what the note that it is about says in a sentence, if that may be read now.
MATCH (e:Event {stream: $stream})
USING INDEX SEEK e:Event(stream, seq)
WHERE e.seq > $after AND e.seq < $before AND e.audience IN $audiences
  AND (e.audienceThen IS NULL OR e.audienceThen IN $audiences OR 'u:' + $stream IN $audiences)
  AND coalesce(e.otherAudience, e.audience) IN $audiences
  AND (e.otherThen IS NULL OR e.otherThen IN $audiences OR 'u:' + $stream IN $audiences)
  AND ($types IS NULL OR e.type IN $types)
  AND ($channels IS NULL OR e.channel IN $channels)
  AND ($actor IS NULL OR e.actor = $actor)
  AND ($subjectId IS NULL OR e.subjectId = $subjectId)
  AND ($domain IS NULL OR e.domain = $domain OR e.domain STARTS WITH $domain + '/')
  AND e.at >= $since AND e.at <= $until
WITH e ORDER BY e.stream, e.seq LIMIT $limit
RETURN collect(e {.id, .seq, at: e.at.epochMillis, .type, .channel, .actor, .subjectId, .domain, .summary, .data, note: COLLECT {
  MATCH (n:Note {id: e.subjectId})
  WHERE @readable(n)
  RETURN coalesce(n.context, n.title, '')
}[0]}) AS rows
