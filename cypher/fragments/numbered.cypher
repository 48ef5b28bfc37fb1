// numbered(streams, events): appends events to streams that are locked, with numbers made from the database's clock.
CALL (streams, events) {
  UNWIND range(0, size(streams) - 1) AS number
  WITH streams[number] AS s, number, events, datetime.realtime() AS clock
  WITH s, number, events, clock.epochSeconds * 1000000 + clock.microsecond AS clock
  WITH s, number, events, CASE WHEN s.seq < clock THEN clock ELSE s.seq + 1 END AS base
  SET s.seq = base + size(events) - 1
  WITH s, number, events, base
  UNWIND range(0, size(events) - 1) AS offset
  WITH s, number, events[offset] AS event, base + offset AS seq
  CREATE (e:Event:System)
  SET e = event {.*, id: CASE number WHEN 0 THEN event.id ELSE left(event.id, 33) + right('00' + toString(number), 3) END, stream: s.name, seq: seq}
}
