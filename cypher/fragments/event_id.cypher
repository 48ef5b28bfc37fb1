// event_id(n): the id of the event of a change of a note by a job: a UUIDv7 of this instant. Its random part is that of the note, with its version, so that running a job by hand gives the same; of a note of a team, whose version stays, it is drawn.
reduce(hex = '', shift IN [44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4, 0] |
  hex + substring('0123456789abcdef', $now.epochMillis / toInteger(2 ^ shift) % 16, 1) + CASE shift WHEN 16 THEN '-' ELSE '' END)
  + '-7' + CASE WHEN n.user STARTS WITH 't:' THEN substring(randomUUID(), 15) ELSE right('00' + toString(n.version % 1000), 3) + substring(n.id, 18) END
