// Creates notes with audience, author, first revisions, vector and the name by which Neo4j Browser draws them, in $usual what most of them have, and puts them into their episodes in the order of when they happened; then writes what these and other notes mention, say of entities, and give as other names of them. The entities are locked in one order first; each relation carries its note's audience.
CALL () {
  UNWIND $rows AS row
  MERGE (a:Audience {key: row.audience.key})
    ON CREATE SET a:System, a = row.audience
  CREATE (n:Note)
  SET n = $usual, n += row.properties
  SET n.name = left(btrim(replace(replace(coalesce(n.title, left(n.content, 240)), '\n', ' '), '\t', ' ')), 60)
  FOREACH (current IN CASE WHEN n.status = 'ACTIVE' AND n.tier <> 'LONG_TERM' AND n.validFrom <= datetime('0001-01-02T00:00:00Z') AND n.validTo >= datetime('9999-12-30T00:00:00Z') AND n.expiresAt >= datetime('9999-12-30T00:00:00Z') THEN [n] ELSE [] END | SET current:Current)
  CREATE (n)-[:FOR]->(a)
  WITH n, a, row
  CALL (n, row) {
    UNWIND row.revisions AS revision
    CREATE (n)-[:HAD]->(:Revision:System {version: revision.version, at: $now, actor: $actor, content: coalesce(revision.content, n.content), textKey: n.user + '/' + CASE WHEN revision.content IS NULL THEN n.textKey ELSE revision.textKey END, changes: revision.changes})
  }
  CALL db.create.setNodeVectorProperty(n, 'embedding', row.vector)
  CALL (n, a) {
    MATCH (agent:Agent {user: n.user, id: n.author})
    CREATE (agent)-[:WROTE]->(n)
    MERGE (agent)-[:WRITES_FOR]->(a)
  }
  CALL (n, a) {
    WITH n, a WHERE n.author IS NULL
    MATCH (user:User {id: n.user})
    CREATE (user)-[:WROTE]->(n)
    MERGE (user)-[:WRITES_FOR]->(a)
  }
}
CALL () {
  UNWIND $chained AS row
  MERGE (e:Episode {user: $user, key: row.episode})
    ON CREATE SET e.createdAt = $now
  SET e.updatedAt = $now
  WITH e, row
  MATCH (n:Note {id: row.id})
  CALL (e, n) {
    // Notes of the same step that have no place yet are passed over.
    OPTIONAL CALL (e, n) {
      MATCH (before:Note)
      USING INDEX SEEK before:Note(user, episode, happenedAt, id)
      WHERE before.user = n.user AND before.episode = n.episode AND before.happenedAt <= n.happenedAt AND before.id IS NOT NULL AND CASE before.happenedAt WHEN n.happenedAt THEN before.id < n.id ELSE true END
        AND EXISTS { (before)-[:IN_EPISODE]->() }
      WITH before ORDER BY before.user DESC, before.episode DESC, before.happenedAt DESC, before.id DESC LIMIT 1
      RETURN before
    }
    OPTIONAL CALL (e, n) {
      MATCH (after:Note)
      USING INDEX SEEK after:Note(user, episode, happenedAt, id)
      WHERE after.user = n.user AND after.episode = n.episode AND after.happenedAt >= n.happenedAt AND after.id IS NOT NULL AND CASE after.happenedAt WHEN n.happenedAt THEN after.id > n.id ELSE true END
        AND EXISTS { (after)-[:IN_EPISODE]->() }
      WITH after ORDER BY after.user, after.episode, after.happenedAt, after.id LIMIT 1
      RETURN after
    }
    OPTIONAL MATCH (before)-[old:NEXT]->(after)
    DELETE old
    FOREACH (x IN CASE WHEN before IS NULL THEN [] ELSE [before] END | CREATE (x)-[:NEXT]->(n))
    FOREACH (x IN CASE WHEN after IS NULL THEN [] ELSE [after] END | CREATE (n)-[:NEXT]->(x))
    CREATE (n)-[:IN_EPISODE]->(e)
  }
}
CALL () {
  UNWIND $names AS each
  MERGE (e:Entity {user: $user, key: each.key})
    ON CREATE SET e += each.new, e.createdAt = $now
  SET e.cased = e.cased AND each.new.cased
}
CALL () {
  UNWIND $mentions AS row
  MATCH (n:Note {id: row.noteId})
  MATCH (e:Entity {user: $user, key: row.key})
  CALL (n, e, row) { // what rules held of it as of another type
    MATCH (n)-[m:MENTIONS {given: true}]->(e)
    WHERE row.given AND m.type <> row.type
    MATCH (e)-[s:SAME_AS {audience: n.audience}]-(:Entity)
    DELETE s
  }
  MERGE (n)-[m:MENTIONS]->(e)
    ON CREATE SET m.at = coalesce(row.at, $now), m.count = row.count, m.name = row.name, m.type = row.type, m.keys = row.keys, m.names = row.names,
      m.given = row.given, m.cased = row.cased, m.ofText = row.ofText, m.of = row.of
    ON MATCH SET m.at = CASE WHEN row.given AND NOT m.given AND m.wasGiven IS NULL THEN $now ELSE m.at END,
      m.count = CASE WHEN m.count > row.count THEN m.count ELSE row.count END,
      m.keys = m.keys + [key IN row.keys WHERE NOT key IN m.keys],
      m.names = m.names + [other IN row.names WHERE NOT other IN m.names],
      m.type = CASE WHEN row.given THEN row.type ELSE m.type END,
      m.name = CASE WHEN m.old OR (row.given AND NOT m.given) THEN row.name ELSE m.name END,
      m.cased = CASE WHEN row.given AND m.given THEN m.cased AND row.cased WHEN row.given THEN row.cased ELSE m.cased END,
      m.ofText = CASE WHEN row.given AND (row.ofText IS NULL OR NOT m.given) THEN row.ofText ELSE m.ofText END,
      m.of = CASE WHEN NOT row.given OR (m.given AND m.of IS NULL) THEN m.of WHEN row.of IS NULL OR NOT m.given THEN row.of ELSE m.of END,
      m.given = m.given OR row.given, m.old = null, m.wasGiven = null
  SET m.plain = row.plain, m.within = row.within
}
CALL () {
  UNWIND $called AS row
  MATCH (e:Entity {user: $user, key: row.key})
  MATCH (other:Entity {user: $user, key: row.other})
  MERGE (e)-[r:ALSO_CALLED {noteId: row.noteId}]->(other)
    ON CREATE SET r.id = row.id, r.at = coalesce(row.at, $now), r.ofText = row.ofText
    ON MATCH SET r.ofText = CASE WHEN row.ofText THEN r.ofText END, r.old = null
}
CALL () {
  UNWIND $covered AS row
  MATCH (n:Note {id: row.noteId})
  MATCH (n)-[m:MENTIONS {given: false}]->(:Entity {user: $user, key: row.key})
  SET m.within = [id IN coalesce(m.within, []) WHERE id <> row.by] + [row.by]
}
CALL () {
  UNWIND $relations AS row
  MATCH (n:Note {id: row.noteId})
  MATCH (s:Entity {user: $user, key: row.subjectKey})
  MATCH (o:Entity {user: $user, key: row.objectKey})
  MERGE (s)-[r:RELATES_TO {noteId: row.noteId, predicate: row.predicate}]->(o)
    ON CREATE SET r.ofText = row.ofText
    ON MATCH SET r.ofText = CASE WHEN row.ofText THEN r.ofText END, r.old = null
  SET r.audience = n.audience, r.status = n.status, r.expiresAt = n.expiresAt, r.confidence = row.confidence, r.validFrom = row.validFrom, r.validTo = row.validTo,
      r.createdAt = coalesce(r.createdAt, row.createdAt, $now)
}
RETURN size($rows) AS created
