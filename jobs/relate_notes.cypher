// Makes the related links between notes that share tags again where there are new notes.
// cron: 30 1 * * *
// time zone: UTC
// Two notes of the same readers are linked when each is among the notes that share most tags with the other, as domain/related has it. Only links that a job made are changed.
// It goes through the audiences of users with notes since a time, after one by key and up to another; of each through the newest notes that are in use.
CALL () {
  MATCH (a:Audience)
  USING INDEX SEEK a:Audience(key)
  WHERE a.key > $after AND a.key <= $last AND NOT a.owner STARTS WITH 't:' AND CASE WHEN $owners IS NULL THEN true ELSE a.owner IN $owners END
    AND EXISTS {
      MATCH (n:Note)
      USING INDEX SEEK n:Note(audience, createdAt)
      WHERE n.audience = a.key AND n.createdAt >= $since
    }
  WITH a ORDER BY a.key LIMIT $limit
  RETURN collect(a {.key, .owner, .domain}) AS page
}
CALL (page) {
  UNWIND page AS a
  CALL (a) { // the notes, newest first, with the links that others made: they count, and are not made again
    MATCH (n:Note)
    USING INDEX SEEK n:Note(audience, createdAt)
    WHERE n.audience = a.key AND n.createdAt IS NOT NULL AND n.status = 'ACTIVE' AND n.expiresAt > $now AND n.validTo > $now
    WITH n ORDER BY n.audience DESC, n.createdAt DESC, n.id DESC LIMIT $newest
    WITH n.id AS id, n.tags AS tags, n.createdAt AS at, COLLECT {
      MATCH (n)-[r:LINKS_TO {kind: $kind}]-(m:Note)
      WHERE r.by <> $actor AND m.audience = n.audience
      RETURN DISTINCT m.id
    } AS linked
    WITH id, tags, at, linked, id IS NOT NULL AND size(tags) >= $threshold AND size(linked) < $each AS able // what is destroyed meanwhile has neither
    RETURN collect(CASE WHEN able THEN id END) AS ids, collect(CASE WHEN able THEN tags END) AS tags, collect(CASE WHEN able THEN linked END) AS linked,
      CASE WHEN count(*) = $newest THEN min(at) END AS oldest // links of older notes stay as they are
  }
  CALL (tags) { // the places of notes by tag, of each note under its rarest tags: two that share enough tags share one of these
    UNWIND range(0, size(tags) - 1) AS i
    UNWIND tags[i] AS tag
    WITH tag, collect(i) AS places
    WITH tag, places, size(places) AS many
    UNWIND places AS i
    WITH i, coll.sort(collect([many, tag])) AS rare // no ORDER BY: its rows would each count all tags as memory
    UNWIND rare[..size(rare) - $threshold + 1] AS one
    WITH one[1] AS tag, coll.sort(collect(i)) AS places
    WHERE size(places) > 1
    RETURN collect(places) AS lists
  }
  CALL (lists) {
    UNWIND range(0, size(lists) - 1) AS number
    UNWIND range(0, size(lists[number]) - 1) AS p
    WITH lists[number][p] AS i, collect([number, p]) AS places
    RETURN collect({i: i, places: places}) AS held
  }
  CALL (ids, tags, linked, lists, held) {
    UNWIND held AS one
    CALL (ids, tags, linked, lists, one) { // the best partners of a note: most tags, then next to it in a list, whose end is next to its beginning
      UNWIND one.places AS at
      WITH at[1] AS p, size(lists[at[0]]) AS many, at[0] AS number
      UNWIND range(1, coll.min([many / 2, $near])) AS off
      UNWIND [[lists[number][(p + off) % many], p], [lists[number][(p + many - off) % many], (p + many - off) % many]] AS pair
      WITH pair[0] AS j, min(2 * off + pair[1] / off % 2) AS near
      WHERE NOT ids[j] IN linked[one.i]
      WITH j, near, size([tag IN tags[one.i] WHERE tag IN tags[j]]) AS shared
      WHERE shared >= $threshold
      WITH coll.sort(collect([-shared, near, j])) AS best
      UNWIND best[..$each - size(linked[one.i])] AS partner
      RETURN partner[2] AS j, -partner[0] AS shared
    }
    WITH CASE WHEN ids[one.i] < ids[j] THEN [ids[one.i], ids[j], shared] ELSE [ids[j], ids[one.i], shared] END AS pair, count(*) AS sides
    WHERE sides = 2
    RETURN collect(pair) AS wanted
  }
  CALL (a, wanted, oldest) { // what is missing, and what is there though it is not wanted, or for another reason
    CALL (a, wanted, oldest) {
      UNWIND wanted AS pair
      RETURN pair[0] AS source, pair[1] AS target, pair[2] AS shared, null AS link
      UNION ALL
      MATCH (s:Note)
      USING INDEX SEEK s:Note(audience, createdAt)
      WHERE s.audience = a.key AND s.createdAt IS NOT NULL
      MATCH (s)-[r:LINKS_TO {kind: $kind, by: $actor}]->(t:Note)
      WHERE CASE WHEN oldest IS NULL THEN true ELSE s.createdAt >= oldest AND t.createdAt >= oldest END
      RETURN s.id AS source, t.id AS target, null AS shared, [r.id, r.reason] AS link
    }
    WITH source, target, max(shared) AS shared, collect(link) AS links
    WITH source, target, shared, links, [link IN links WHERE link[1] = toString(shared) + ' shared tags'] AS right
    UNWIND [link IN links WHERE NOT link IN right[..1] | '-' + link[0]] + CASE WHEN shared > 0 AND size(right) = 0 THEN [source + target] ELSE [] END AS id
    WITH {id: id, audience: a.key, owner: a.owner, domain: a.domain, source: source, target: target, shared: shared} AS row
    WHERE NOT row.id IN $leftOut
    RETURN collect(row) AS rows
  }
  WITH count(*) AS audiences, sum(size(wanted)) AS related, collect(rows) AS all
  RETURN COLLECT { UNWIND all AS rows UNWIND rows AS row RETURN row } AS due, {audiences: audiences, relatedLinks: related} AS counts
}
WITH due, counts, page[-1].key AS place
@cut(due, place, counts)
CALL (batch) {
  @gated(batch)
  CALL (batch) { // each note is locked, in the order of their ids: another run may relate the same ones
    UNWIND batch AS row
    UNWIND [row.source, row.target] AS id
    WITH DISTINCT id ORDER BY id
    MATCH (n:Note {id: id})
    USING INDEX SEEK n:Note(id)
    SET n.touched = $now
    REMOVE n.touched
  }
  WITH batch, [batch[0].owner] AS names
  @locked(names, streams)
  WITH batch, streams
  WHERE size(streams) > 0
  CALL (batch) {
    UNWIND batch AS row
    WITH row WHERE row.id STARTS WITH '-'
    MATCH (:Note)-[r:LINKS_TO {id: substring(row.id, 1)}]->(:Note)
    WHERE r.by = $actor
    DELETE r
    RETURN collect(row.id) AS removed
  }
  CALL (batch) {
    UNWIND batch AS row
    WITH row WHERE NOT row.id STARTS WITH '-'
    MATCH (s:Note {id: row.source})
    USING INDEX SEEK s:Note(id)
    MATCH (t:Note {id: row.target})
    USING INDEX SEEK t:Note(id)
    WHERE s.audience = row.audience AND t.audience = row.audience AND NOT EXISTS { (s)-[:LINKS_TO {kind: $kind}]-(t) }
      AND size([tag IN s.tags WHERE tag IN t.tags]) = row.shared
    WITH s, t, row, substring(randomUUID(), 15) AS tail
    CREATE (s)-[:LINKS_TO {kind: $kind, id: @uuid(tail), strength: round(coll.min([0.5, 0.1 * row.shared]), 3),
      reason: toString(row.shared) + ' shared tags', by: $actor, at: $now}]->(t)
    RETURN collect(row.id) AS made
  }
  WITH batch[0] AS first, streams, removed, made
  CALL (first, removed, made) {
    UNWIND [['links between notes removed', 0, size(removed)], ['related notes linked', size(made), 0]] AS told
    WITH told, substring(randomUUID(), 15) AS tail
    WHERE told[1] + told[2] > 0
    RETURN collect({id: @uuid(tail), type: 'LINK', channel: 'memory_update', actor: $actor, domain: first.domain, audience: first.audience,
      summary: told[0], data: '{"made": ' + toString(told[1]) + ', "removed": ' + toString(told[2]) + '}', at: $now}) AS events
  }
  WITH streams, removed, made, events
  WHERE size(events) > 0
  @numbered(streams, events)
  WITH collect({names: [each IN removed | 'linksRemoved'] + [each IN made | 'linksMade'], notes: removed + made, told: [s IN streams | s.name]})[0] AS done
  RETURN coalesce(done.names, []) AS names, coalesce(done.notes, []) AS notes, coalesce(done.told, []) AS told
} @tallied(place, counts, more)
