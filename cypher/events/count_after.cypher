// Counts the events of a stream that may be read after a number, up to a limit.
MATCH (e:Event {stream: $stream})
USING INDEX SEEK e:Event(stream, seq)
WHERE e.seq > $after AND e.audience IN $audiences
  AND (e.audienceThen IS NULL OR e.audienceThen IN $audiences OR 'u:' + $stream IN $audiences)
  AND coalesce(e.otherAudience, e.audience) IN $audiences
  AND (e.otherThen IS NULL OR e.otherThen IN $audiences OR 'u:' + $stream IN $audiences)
WITH e LIMIT $most
RETURN count(e) AS events
