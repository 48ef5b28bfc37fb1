// Reads what ties entities to others, as far as readable notes back it: other names that notes give, merges by hand, and merges that were undone. A merge counts where notes introduced both sides before it that its maker could read.
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.user = $user
CALL (e) {
  MATCH (e)-[r:ALSO_CALLED]-(:Entity)
  MATCH (n:Note {id: r.noteId})
  WHERE n.audience IN $audiences AND n.expiresAt > $now AND n.status IN $statuses
  WITH endNode(r) AS part, collect({r: r, author: n.author}) AS told
  // The first two notes that give the name, found once: one of them is another than that of the tie.
  WITH told, COLLECT {
    MATCH (g:Note)-[m:MENTIONS {given: true}]->(part)
    WHERE m.of IS NULL AND g.audience IN $audiences AND g.expiresAt > $now AND g.status IN $statuses
    WITH g.id AS note, min(m.at) AS at ORDER BY at LIMIT 2
    RETURN {note: note, at: at.epochMillis}
  } AS first
  UNWIND told AS each
  WITH each.r AS r, each.author AS author, first
  RETURN r, author, [x IN first WHERE x.note <> r.noteId | x.at][0] AS own
  UNION ALL
  MATCH (e)-[r:ABSORBED|HAD_ABSORBED]-(o:Entity)
  WHERE all(x IN [e, o] WHERE EXISTS {
    (n:Note)-[m:MENTIONS {given: true}]->(x)
    WHERE n.audience IN $audiences AND n.expiresAt > $now AND n.status IN $statuses AND m.at <= r.at AND (r.audiences IS NULL OR n.audience IN r.audiences)
  })
  RETURN r, null AS author, null AS own
}
WITH DISTINCT r, author, own
ORDER BY r.at, r.id LIMIT $limit
RETURN collect({kind: type(r), id: r.id, whole: startNode(r).id, part: endNode(r).id, at: r.at.epochMillis, note: r.noteId, author: author, own: own, by: r.by, score: r.score}) AS rows
