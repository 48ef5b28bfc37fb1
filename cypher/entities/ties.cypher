// Reads what ties entities to others, as far as readable notes back it: other names that notes give, merges by hand, merges that were undone, and names that may be one by form, with how readable notes call both. A merge counts where notes introduced both sides before it that its maker could read.
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.user = $user
CALL (e) {
  MATCH (e)-[r:ALSO_CALLED]-(:Entity)
  MATCH (n:Note {id: r.noteId})
  WHERE @readable(n) AND n.status IN $statuses
  WITH endNode(r) AS part, collect({r: r, author: n.author}) AS told
  // The first two notes that give the name, found once: one of them is another than that of the tie.
  WITH told, COLLECT {
    MATCH (g:Note)-[m:MENTIONS {given: true}]->(part)
    WHERE m.of IS NULL AND @readable(g) AND g.status IN $statuses
    WITH g.id AS note, min(m.at) AS at ORDER BY at LIMIT 2
    RETURN {note: note, at: at.epochMillis}
  } AS first
  UNWIND told AS each
  WITH each.r AS r, each.author AS author, first
  RETURN {kind: type(r), id: r.id, whole: startNode(r).id, part: endNode(r).id, at: r.at.epochMillis, note: r.noteId, author: author,
    own: [x IN first WHERE x.note <> r.noteId | x.at][0], by: r.by, score: r.score, loose: null, names: [], others: []} AS tie
  UNION ALL
  MATCH (e)-[r:ABSORBED|HAD_ABSORBED]-(o:Entity)
  WHERE all(x IN [e, o] WHERE EXISTS {
    (n:Note)-[m:MENTIONS {given: true}]->(x)
    WHERE @readable(n) AND n.status IN $statuses AND m.at <= r.at AND (r.audiences IS NULL OR n.audience IN r.audiences)
  })
  RETURN {kind: type(r), id: r.id, whole: startNode(r).id, part: endNode(r).id, at: r.at.epochMillis, note: null, author: null,
    own: null, by: r.by, score: r.score, loose: null, names: [], others: [], everywhere: r.audiences IS NULL} AS tie
  UNION ALL
  MATCH (o:Entity {user: $user, loose: e.loose})
  USING INDEX SEEK o:Entity(user, loose)
  WHERE o <> e
  WITH CASE WHEN e.id < o.id THEN e ELSE o END AS one, CASE WHEN e.id < o.id THEN o ELSE e END AS other
  CALL (one) {
    MATCH (n:Note)-[m:MENTIONS {given: true}]->(one)
    WHERE @readable(n) AND n.status IN $statuses
    WITH [m.name, m.type] AS called, min(m.at) AS at ORDER BY called LIMIT 50
    RETURN collect(called) AS names, min(at) AS since
  }
  CALL (other) {
    MATCH (n:Note)-[m:MENTIONS {given: true}]->(other)
    WHERE @readable(n) AND n.status IN $statuses
    WITH [m.name, m.type] AS called, min(m.at) AS at ORDER BY called LIMIT 50
    RETURN collect(called) AS others, min(at) AS then
  }
  WITH one, other, names, others, CASE WHEN since > then THEN since ELSE then END AS at
  WHERE size(names) > 0 AND size(others) > 0
  ORDER BY one.id, other.id LIMIT 50
  RETURN {kind: 'SAME_FORM', id: one.id + '=' + other.id, whole: one.id, part: other.id, at: at.epochMillis, note: null, author: null,
    own: null, by: 'system:forms', score: 0.95, loose: one.loose, names: names, others: others} AS tie
}
WITH DISTINCT tie
ORDER BY tie.at, tie.id LIMIT $limit
RETURN collect(tie) AS rows
