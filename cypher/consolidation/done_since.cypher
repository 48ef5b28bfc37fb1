// Counts what an actor's events from a number on tell, by their sentences.
MATCH (e:Event {stream: $user})
USING INDEX SEEK e:Event(stream, seq)
WHERE e.seq >= $first AND e.actor = $actor
RETURN e.summary AS summary, count(*) AS times
