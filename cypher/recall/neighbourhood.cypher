// Reads the graph one step around notes and named entities: what they mention, who else mentions it, relations, links, neighbours in the episode; the gate on every note and relation, the fan-out bounded, that of the $better first notes wider.
// CASE makes sure that a mention's own properties are checked before its note is read. Otherwise the planner decides by how full the graph is, and may read every note that mentions a common name.
CALL () {
  CALL () {
    UNWIND range(1, size($notes)) AS place
    MATCH (n:Note {id: $notes[place - 1]})-[m:MENTIONS]->(e)
    RETURN e, collect({source: n.id, fan: CASE WHEN place <= $better THEN $entityFan ELSE $lesserFan END, m: m}) AS mentions
    UNION ALL
    UNWIND $named AS named
    MATCH (e:Entity {id: named.id, user: $user})
    RETURN e, [{source: null, fan: null, name: named.surface}] AS mentions
  }
  WITH e, collect(mentions) AS parts
  // Each entity is asked once whether a readable note introduces its name. Whether one does so in small letters (loose) comes first: if so, the name is introduced, and the second search is left out.
  WITH e, parts, CASE WHEN e.cased THEN false ELSE EXISTS { (g)-[i:MENTIONS]->(e) WHERE CASE WHEN i.given AND NOT i.cased THEN @leading(g) ELSE false END } END AS loose
  WITH e, parts, loose, loose OR e.id IN $known OR EXISTS { (g)-[i:MENTIONS]->(e) WHERE CASE WHEN i.given THEN @leading(g) ELSE false END } AS introduced
  WHERE introduced
  UNWIND parts AS part
  UNWIND part AS each
  WITH e, loose, each, each.m AS m
  WHERE m IS NULL OR m.given OR ((m.plain IS NULL OR loose)
    AND (m.within IS NULL OR NOT EXISTS { MATCH (g)-[i:MENTIONS]->(w:Entity) USING INDEX SEEK w:Entity(id) WHERE w.id IN m.within AND CASE WHEN i.given THEN @leading(g) ELSE false END }))
  WITH e, loose, each.source AS source, each.fan AS fan, coalesce(m.name, each.name) AS name, m.given AS given, m.count AS count
  ORDER BY given DESC, count DESC, e.id
  WITH source, fan, collect({e: e, loose: loose, name: name}) AS found
  UNWIND CASE WHEN source IS NULL THEN found ELSE found[..fan] END AS row
  WITH row.e AS e, row.loose AS loose, collect([source, row.name]) AS by
  CALL (e) {
    WITH e WHERE NOT e.id IN $known
    CALL (e) {
      MATCH (x:Note {user: $user, titleKey: e.key})
      USING INDEX SEEK x:Note(user, titleKey)
      WHERE @answering(x)
      RETURN x ORDER BY x.id LIMIT 3
      UNION
      // "Orion" is a title, too, where a note is called "Orion (ship)"; of several the first.
      MATCH (p)-[r:ALSO_CALLED]->(e)
      MATCH (x:Note {id: r.noteId})
      WHERE x.titleKey = p.key AND @answering(x)
      RETURN x ORDER BY r.at, p.key, x.id LIMIT 1
    }
    RETURN collect(DISTINCT x.id) AS titled
  }
  CALL (e, loose) {
    WITH e, loose WHERE NOT e.id IN $known
    MATCH (e)<-[m:MENTIONS]-(x)
    WHERE CASE WHEN m.plain IS NULL OR loose OR m.given THEN @answering(x) ELSE false END
    // The order in which relationships are read depends on all of a node, hidden ones too: so some are read, and of those the newest taken, before it is asked which are of a longer name.
    WITH m, x LIMIT $mentionFan + $unsorted
    WITH m, x ORDER BY m.at DESC, x.id DESC LIMIT $mentionFan
    WITH m, x WHERE m.given OR m.within IS NULL OR NOT EXISTS { MATCH (g)-[i:MENTIONS]->(w:Entity) USING INDEX SEEK w:Entity(id) WHERE w.id IN m.within AND CASE WHEN i.given THEN @leading(g) ELSE false END }
    WITH x LIMIT $noteFan
    RETURN collect(x.id) AS mentioned
  }
  CALL (e) {
    WITH e WHERE NOT e.id IN $known
    MATCH (e)-[r:RELATES_TO]-(f)
    WHERE r.audience IN $audiences AND r.status IN $statuses AND r.expiresAt > datetime($now)
    WITH r, f LIMIT $relationFan + $unsorted
    WITH r, f ORDER BY r.createdAt DESC, r.noteId DESC, f.id, r.predicate, r.confidence LIMIT $relationFan
    RETURN collect([f.id, r.predicate, r.confidence, r.noteId]) AS related
  }
  RETURN collect({entity: e.id, by: by, titled: titled, mentioned: mentioned, related: related}) AS entities
}
CALL () {
  UNWIND $notes AS id
  MATCH (s:Note {id: id})
  CALL (s) {
    MATCH (s)-[r:LINKS_TO]-(x:Note)
    WHERE @answering(x)
    RETURN x, CASE WHEN all(then IN [r.sourceThen, r.targetThen] WHERE then IS NULL OR then IN $audiences) THEN r.kind ELSE 'linked' END AS kind, r.strength AS weight
    ORDER BY kind <> 'updates', weight DESC, x.id, kind LIMIT $linkFan
    UNION ALL
    MATCH (s)-[:NEXT]-(x:Note)
    WHERE @answering(x)
    RETURN x, 'NEXT' AS kind, null AS weight
    UNION ALL
    // Where the next note of the episode does not count for the viewer, the next one that does.
    MATCH (s)-[:NEXT]->(h:Note)
    WHERE NOT (@answering(h))
    CALL (s) {
      MATCH (x:Note)
      USING INDEX SEEK x:Note(user, episode, happenedAt, id)
      WHERE x.user = s.user AND x.episode = s.episode AND x.happenedAt >= s.happenedAt AND x.id IS NOT NULL AND CASE x.happenedAt WHEN s.happenedAt THEN x.id > s.id ELSE true END
        AND @answering(x)
      WITH x ORDER BY x.user, x.episode, x.happenedAt, x.id LIMIT 1
      RETURN x
    }
    RETURN x, 'NEXT' AS kind, null AS weight
    UNION ALL
    MATCH (s)<-[:NEXT]-(h:Note)
    WHERE NOT (@answering(h))
    CALL (s) {
      MATCH (x:Note)
      USING INDEX SEEK x:Note(user, episode, happenedAt, id)
      WHERE x.user = s.user AND x.episode = s.episode AND x.happenedAt <= s.happenedAt AND x.id IS NOT NULL AND CASE x.happenedAt WHEN s.happenedAt THEN x.id < s.id ELSE true END
        AND @answering(x)
      WITH x ORDER BY x.user DESC, x.episode DESC, x.happenedAt DESC, x.id DESC LIMIT 1
      RETURN x
    }
    RETURN x, 'NEXT' AS kind, null AS weight
  }
  RETURN collect([s.id, x.id, kind, weight]) AS links
}
RETURN entities, links
