// Lists the newest events of a stream since a time that may be read, newest first, each with what the note that it is about says in a sentence, if that may be read now.
MATCH (e:Event {stream: $stream})
USING INDEX SEEK e:Event(stream, seq)
WHERE e.seq >= 0 AND e.audience IN $audiences AND e.at >= $since
  AND (e.audienceThen IS NULL OR e.audienceThen IN $audiences OR 'u:' + $stream IN $audiences)
  AND coalesce(e.otherAudience, e.audience) IN $audiences
  AND (e.otherThen IS NULL OR e.otherThen IN $audiences OR 'u:' + $stream IN $audiences)
WITH e ORDER BY e.stream DESC, e.seq DESC LIMIT $limit
RETURN collect(e {.id, .seq, at: e.at.epochMillis, .type, .channel, .actor, .subjectId, .domain, .summary, .data, note: COLLECT {
  MATCH (n:Note {id: e.subjectId})
  WHERE @readable(n)
  RETURN coalesce(n.context, n.title, '')
}[0]}) AS rows
