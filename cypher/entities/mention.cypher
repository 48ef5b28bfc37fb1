// Makes entities that are new, and the mentions of entities in notes, each with the absorbed entity whose name it uses as its home; the names are locked in one order first.
CALL () {
  UNWIND $names AS each
  MERGE (name:EntityName {user: $user, key: each.key})
    ON CREATE SET name += each.like
  SET name.user = $user
}
UNWIND $rows AS row
CALL (row) {
  MERGE (name:EntityName {user: $user, key: row.key})
  WITH name
  CALL (row, name) {
    WITH name
    WHERE NOT EXISTS { (name)-[:NAMES]->(:Entity) }
    MERGE (e:Entity {user: $user, key: row.key})
      ON CREATE SET e.id = row.entityId, e.name = row.name, e.type = row.type, e.cased = row.cased,
        e.createdAt = $now
    MERGE (name)-[:NAMES]->(e)
  }
  MATCH (name)-[:NAMES]->(e:Entity)
  CALL (row, name, e) {
    UNWIND row.aliases AS alias
    MERGE (other:EntityName {user: $user, key: alias.key})
    WITH name, other, e
    WHERE NOT EXISTS { (other)-[:NAMES]->(:Entity) }
    CREATE (other)-[:NAMES]->(e)
    SET other.home = name.home
  }
  RETURN e, coalesce(name.home, '') AS home
}
MATCH (n:Note {id: row.noteId})
MERGE (n)-[m:MENTIONS {home: home}]->(e)
  ON CREATE SET m.count = row.count, m.name = row.name, m.type = row.type, m.keys = row.keys, m.names = row.names, m.given = row.given, m.ofText = row.ofText
  ON MATCH SET m.count = m.count + row.count,
    m.keys = m.keys + [key IN row.keys WHERE NOT key IN m.keys],
    m.names = m.names + [other IN row.names WHERE NOT other IN m.names],
    m.type = CASE WHEN row.given THEN row.type ELSE m.type END,
    m.name = CASE WHEN m.old OR (row.given AND NOT m.given) THEN row.name ELSE m.name END,
    m.ofText = CASE WHEN row.given AND (row.ofText IS NULL OR NOT m.given) THEN row.ofText ELSE m.ofText END,
    m.given = m.given OR row.given, m.old = null
RETURN row.key AS key, e.id AS id, e.createdAt = $now AS isNew
