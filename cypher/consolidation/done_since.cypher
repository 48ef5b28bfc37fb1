// Counts what an actor's events since a time tell, by their sentences.
MATCH (e:Event {stream: $user})
WHERE e.seq >= 0 AND e.at >= $since AND e.actor = $actor
RETURN e.summary AS summary, count(*) AS times
