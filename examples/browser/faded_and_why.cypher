// What faded, and why? The numbers that decay went by stand in the event: retention, activation, relevance.
MATCH (e:Event {type: 'DECAY'})
USING INDEX SEEK e:Event(at)
WHERE e.at >= datetime() - duration('P30D')
MATCH (n:Note {id: e.subjectId})
RETURN coalesce(n.title, left(n.content, 60)) AS note, e.summary AS change, e.data AS why, e.at AS at,
  n.accessCount AS uses, n.accessTimes[-1] AS lastUse, n.halfLifeHours AS halfLife
ORDER BY e.at DESC LIMIT 100;
