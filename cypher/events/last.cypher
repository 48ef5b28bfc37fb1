// Reads the number of the last event of a stream that may be read; 0 when there is none.
OPTIONAL MATCH (e:Event {stream: $stream})
USING INDEX SEEK e:Event(stream, seq)
WHERE e.seq >= 0 AND e.audience IN $audiences
  AND (e.audienceThen IS NULL OR e.audienceThen IN $audiences OR 'u:' + $stream IN $audiences)
  AND coalesce(e.otherAudience, e.audience) IN $audiences
  AND (e.otherThen IS NULL OR e.otherThen IN $audiences OR 'u:' + $stream IN $audiences)
WITH e ORDER BY e.stream DESC, e.seq DESC LIMIT 1
RETURN coalesce(e.seq, 0) AS seq
