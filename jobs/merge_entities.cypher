// Makes entities one that rules hold to be one by what the same readers may read, if nobody has refused that for three days.
// cron: 50 * * * *
// time zone: UTC
// It carries out the verdicts that resolve_duplicates left, by id after one and up to another. One whose names are in no note of its readers any more, or that they have refused, goes without a merge.
CALL () {
  MATCH (e:Entity)-[s:SAME_AS]->(:Entity)
  USING INDEX SEEK s:SAME_AS(id)
  WHERE s.id > $after AND s.id <= $last AND s.at <= $until
    AND NOT s.id IN $leftOut AND CASE WHEN $owners IS NULL THEN true ELSE e.user IN $owners END
  WITH {id: s.id, audience: s.audience, owner: e.user} AS row ORDER BY row.id LIMIT $limit
  RETURN collect(row) AS due
}
WITH due, {} AS counts, due[-1].id AS place
@cut(due, place, counts)
CALL (batch) {
  @gated(batch)
  UNWIND batch AS row
  MATCH (e:Entity)-[s:SAME_AS {id: row.id}]->(part:Entity)
  USING INDEX SEEK s:SAME_AS(id)
  SET s.touched = $now
  REMOVE s.touched // each verdict is locked, so that it is either refused or carried out
  WITH row, e, s, part, s.audience AS audience
  WITH row, e, s, part, all(x IN [e, part] WHERE EXISTS {
    (n:Note)-[:MENTIONS {given: true}]->(x)
    WHERE n.audience = s.audience AND n.expiresAt > $now AND n.status IN ['ACTIVE', 'FADING', 'DORMANT']
  }) AND NOT @refused(e, part, audience) AS stands
  WITH collect({row: row, whole: e, verdict: s, part: part, stands: stands}) AS held
  WITH held, [held[0].row.owner] AS names
  @locked(names, streams)
  WITH held, streams
  WHERE size(held) > 0 AND size(streams) > 0
  CALL (held) {
    UNWIND held AS each
    WITH each.whole AS e, each.verdict AS s, each.part AS part, each.row AS row, each.stands AS stands, each.verdict.score AS score
    FOREACH (x IN CASE WHEN stands THEN [e] ELSE [] END |
      CREATE (x)-[:ABSORBED {id: row.id, user: row.owner, at: $now, by: $actor, score: score, audiences: [row.audience]}]->(part))
    DELETE s
    WITH row, stands, substring(row.id, 15) AS tail
    WHERE stands
    RETURN collect({id: @uuid(tail), type: 'MERGE', channel: 'memory_update', actor: $actor,
      subjectId: row.id, audience: 'u:' + row.owner, summary: 'entities merged', data: '{}', at: $now}) AS events
  }
  @numbered(streams, events)
  WITH collect({names: [each IN held | CASE WHEN each.stands THEN 'merged' ELSE 'dropped' END], notes: [each IN held | each.row.id],
    told: [s IN streams | s.name]})[0] AS done
  RETURN coalesce(done.names, []) AS names, coalesce(done.notes, []) AS notes, coalesce(done.told, []) AS told
} @tallied(place, counts, more)
