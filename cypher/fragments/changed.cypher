// changed(due, counts, place): changes notes that are due, each with a revision and an event for those who may read it: at most $batch of the same readers in a transaction, and as many transactions as $most. Which notes share one depends on what their readers may read alone. The notes of a team keep their version, and all members are told. A row of due has the id, version, audience and owner of a note, what it is given, the changes of its revision, the type, summary and data of its event, and the name under which it is counted.
CALL (due) {
  UNWIND due AS row
  WITH row ORDER BY row.id
  WITH row.audience AS audience, collect(row) AS rows
  ORDER BY audience
  UNWIND range(0, size(rows) - 1, $batch) AS start
  RETURN collect(rows[start..start + $batch]) AS batches
}
UNWIND CASE batches WHEN [] THEN [[]] ELSE batches[..$most] END AS batch
WITH place, counts, size(batches) > $most AS more, batch // no row holds all batches: each would be counted as memory of its own
CALL (batch) {
  OPTIONAL MATCH (gate:JobLease {name: 'gate'}) // as `backups/pass_gate`: while a backup reads the graph, this waits
  USING INDEX SEEK gate:JobLease(name)
  WITH batch, count(gate) AS passed
  UNWIND batch AS row
  MATCH (n:Note {id: row.id})
  USING INDEX SEEK n:Note(id)
  SET n.touched = $now
  REMOVE n.touched // each note is locked, in the order of their ids; one that somebody has changed since it was read is left out
  WITH n, row
  WHERE n.version = row.version AND n.audience = row.audience
  WITH collect({note: n, row: row}) AS held
  WITH held, held[0].row.owner AS owner
  WITH held, owner STARTS WITH 't:' AS shared, CASE WHEN owner STARTS WITH 't:' THEN COLLECT {
    MATCH (:Team {id: substring(owner, 2)})<-[:MEMBER_OF]-(u:User)
    RETURN u.id AS id ORDER BY id LIMIT 200
  } ELSE [owner] END AS names
  CALL (names) { // the streams of those who are told, locked in the order of their names
    UNWIND names AS name
    MATCH (:User {id: name})
    MERGE (s:Stream {name: name})
      ON CREATE SET s.seq = 0
    SET s.locked = true
    WITH s, EXISTS { (:User {id: s.name}) } AS known
    FOREACH (erased IN CASE WHEN known THEN [] ELSE [s] END | DETACH DELETE erased)
    WITH s WHERE known
    RETURN collect(s) AS streams
  }
  WITH held, shared, streams
  WHERE size(held) > 0 AND (shared OR size(streams) > 0)
  CALL (held, shared) {
    UNWIND held AS each
    WITH each.note AS n, each.row AS row, shared
    SET n += row.given, n.updatedAt = $now
    @settled(n)
    FOREACH (revised IN CASE WHEN shared THEN [] ELSE [n] END | // the version of what a team knows is what its members agreed on
      SET revised.version = revised.version + 1
      CREATE (revised)-[:HAD]->(:Revision {version: revised.version, at: $now, actor: $actor, content: revised.content,
        textKey: revised.user + '/' + revised.textKey, changes: row.changes}))
    WITH n, row, shared, reduce(hex = '', shift IN [44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4, 0] |
      hex + substring('0123456789abcdef', $now.epochMillis / toInteger(2 ^ shift) % 16, 1) + CASE shift WHEN 16 THEN '-' ELSE '' END) AS instant
    // The id is a UUIDv7 of this instant. Its random part is that of the note, with its version, so that running a job by hand gives the same; of a note of a team, whose version stays, it is drawn.
    RETURN collect({
      id: instant + '-7' + CASE WHEN shared THEN substring(randomUUID(), 15) ELSE right('00' + toString(n.version % 1000), 3) + substring(n.id, 18) END, type: row.type, channel: CASE WHEN shared THEN 'knowledge_update' ELSE 'memory_update' END, actor: $actor,
      subjectId: n.id, domain: n.domain, audience: n.audience, summary: row.summary, data: row.data, at: $now}) AS events
  }
  CALL (streams, events) { // with numbers made from the database's clock
    UNWIND range(0, size(streams) - 1) AS number
    WITH streams[number] AS s, number, events, datetime.realtime() AS clock
    WITH s, number, events, clock.epochSeconds * 1000000 + clock.microsecond AS clock
    WITH s, number, events, CASE WHEN s.seq < clock THEN clock ELSE s.seq + 1 END AS base
    SET s.seq = base + size(events) - 1
    WITH s, number, events, base
    UNWIND range(0, size(events) - 1) AS offset
    WITH s, number, events[offset] AS event, base + offset AS seq
    CREATE (e:Event)
    SET e = event {.*, id: CASE number WHEN 0 THEN event.id ELSE left(event.id, 33) + right('00' + toString(number), 3) END, stream: s.name, seq: seq}
  }
  WITH collect({names: [each IN held | each.row.name], notes: [each IN held | each.row.id], told: [s IN streams | s.name]})[0] AS done
  RETURN coalesce(done.names, []) AS names, coalesce(done.notes, []) AS notes, coalesce(done.told, []) AS told
} IN TRANSACTIONS OF 1 ROW ON ERROR RETRY FOR 3 SECONDS THEN CONTINUE REPORT STATUS AS status
RETURN place, counts, more, collect(names) AS changed, collect(notes) AS notes, collect(told) AS told,
  collect(CASE WHEN status.errorMessage IS NOT NULL THEN [row IN batch | row.id] END) AS failed,
  collect(CASE WHEN notes = [] THEN [row IN batch | row.id] END) AS passed
