// changed(due, counts, place): changes notes that are due, each with a revision and an event for those who may read it: at most $batch of the same readers in a transaction, and as many transactions as $most. The notes of a team keep their version, and all members are told. A row of due has the id, version, audience and owner of a note, what it is given, the changes of its revision, the type, summary and data of its event, and the name under which it is counted.
@cut(due, place, counts)
CALL (batch) {
  @gated(batch)
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
  @locked(names, streams)
  WITH held, shared, streams
  WHERE size(held) > 0 AND (shared OR size(streams) > 0)
  CALL (held, shared) {
    UNWIND held AS each
    WITH each.note AS n, each.row AS row, shared
    SET n += row.given, n.updatedAt = $now
    @settled(n)
    FOREACH (revised IN CASE WHEN shared THEN [] ELSE [n] END | // the version of what a team knows is what its members agreed on
      SET revised.version = revised.version + 1
      CREATE (revised)-[:HAD]->(:Revision:System {version: revised.version, at: $now, actor: $actor, content: revised.content,
        textKey: revised.user + '/' + revised.textKey, changes: row.changes}))
    // The id of an event ends as that of the note, with its version; of a note of a team, whose version stays, it is drawn.
    WITH n, row, shared, CASE WHEN shared THEN substring(randomUUID(), 15) ELSE right('00' + toString(n.version % 1000), 3) + substring(n.id, 18) END AS tail
    RETURN collect({id: @uuid(tail), type: row.type, channel: CASE WHEN shared THEN 'knowledge_update' ELSE 'memory_update' END, actor: $actor,
      subjectId: n.id, domain: n.domain, audience: n.audience, summary: row.summary, data: row.data, at: $now}) AS events
  }
  @numbered(streams, events)
  WITH collect({names: [each IN held | each.row.name], notes: [each IN held | each.row.id], told: [s IN streams | s.name]})[0] AS done
  RETURN coalesce(done.names, []) AS names, coalesce(done.notes, []) AS notes, coalesce(done.told, []) AS told
} @tallied(place, counts, more)
