// Makes entities that are new, the mentions of entities in notes, and what notes say to be another name of one; the entities are locked in one order first.
CALL () {
  UNWIND $names AS each
  MERGE (e:Entity {user: $user, key: each.key})
    ON CREATE SET e += each.new, e.createdAt = $now
  SET e.cased = e.cased AND each.new.cased
}
CALL () {
  UNWIND $rows AS row
  MATCH (n:Note {id: row.noteId})
  MATCH (e:Entity {user: $user, key: row.key})
  MERGE (n)-[m:MENTIONS]->(e)
    ON CREATE SET m.at = $now, m.count = row.count, m.name = row.name, m.type = row.type, m.keys = row.keys, m.names = row.names,
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
    ON CREATE SET r.id = row.id, r.at = $now, r.ofText = row.ofText
    ON MATCH SET r.ofText = CASE WHEN row.ofText THEN r.ofText END, r.old = null
}
CALL () {
  UNWIND $covered AS row
  MATCH (n:Note {id: row.noteId})
  MATCH (n)-[m:MENTIONS {given: false}]->(:Entity {user: $user, key: row.key})
  SET m.within = [id IN coalesce(m.within, []) WHERE id <> row.by] + [row.by]
}
RETURN size($rows) AS mentions
