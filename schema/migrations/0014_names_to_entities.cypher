// Gives each name an entity of its own, with the mentions and relations that used the name.
MATCH (:Entity)-[r:ABSORBED]->(part:Entity)
WHERE part.key IS NULL AND r.undo IS NOT NULL
SET part.key = r.undo;
MATCH (name:EntityName)-[:NAMES]->(root:Entity)
CALL (name, root) {
  MERGE (e:Entity {user: name.user, key: name.key})
    ON CREATE SET e.id = name.user + ':' + name.key, e.name = name.key, e.type = root.type, e.cased = root.cased, e.createdAt = root.createdAt
  SET e.joined = name.joined, e.initials = name.initials, e.head = name.head, e.tail = name.tail, e.person = name.person, e.bones = name.bones
} IN TRANSACTIONS OF 1000 ROWS;
MATCH (s:Entity)-[r:RELATES_TO]->(o:Entity)
WHERE r.subjectHome IS NOT NULL OR r.objectHome IS NOT NULL
CALL (s, r, o) {
  WITH s, r, o,
    coalesce([(n:Note {id: r.noteId})-[m:MENTIONS]->(s) WHERE m.at IS NULL AND size(m.keys) > 0 | m.keys[0]][0], s.key) AS subject,
    coalesce([(n:Note {id: r.noteId})-[m:MENTIONS]->(o) WHERE m.at IS NULL AND size(m.keys) > 0 | m.keys[0]][0], o.key) AS object
  MATCH (from:Entity {user: s.user, key: subject})
  MATCH (to:Entity {user: o.user, key: object})
  CREATE (from)-[x:RELATES_TO]->(to)
  SET x = properties(r)
  REMOVE x.subjectHome, x.objectHome
  DELETE r
} IN TRANSACTIONS OF 1000 ROWS;
MATCH (n:Note)-[old:MENTIONS]->(e:Entity)
WHERE old.at IS NULL
CALL (n, old, e) {
  WITH n, old, e, CASE WHEN size(old.keys) > 0 THEN old.keys ELSE [e.key] END AS keys
  UNWIND range(0, size(keys) - 1) AS i
  WITH n, old, e, keys, i, coalesce([x IN old.names WHERE toLower(x) = keys[i]][0], CASE WHEN i = 0 THEN old.name END, keys[i]) AS name
  MATCH (x:Entity {user: n.user, key: keys[i]})
  CREATE (n)-[m:MENTIONS]->(x)
  SET m.at = n.createdAt, m.count = CASE WHEN i = 0 THEN old.count ELSE 1 END, m.name = name, m.type = old.type, m.given = old.given,
    m.cased = x.cased, m.ofText = old.ofText, m.of = CASE WHEN i > 0 AND old.given THEN n.user + ':' + keys[0] END,
    m.keys = CASE WHEN i = 0 AND old.given THEN keys ELSE [keys[i]] END, m.names = CASE WHEN i = 0 AND old.given THEN old.names ELSE [name] END
  FOREACH (y IN CASE WHEN i = 0 AND old.given THEN keys[1..] ELSE [] END |
    MERGE (other:Entity {user: n.user, key: y})
    MERGE (x)-[r:ALSO_CALLED {noteId: n.id}]->(other)
      ON CREATE SET r.id = randomUUID(), r.at = n.createdAt, r.ofText = old.ofText)
  WITH DISTINCT old
  DELETE old
} IN TRANSACTIONS OF 1000 ROWS;
MATCH (n:Note)-[m:MENTIONS]->(e:Entity)
WITH n, e, m ORDER BY m.given DESC, m.of IS NOT NULL, m.count DESC
WITH n, e, collect(m) AS found
WHERE size(found) > 1
FOREACH (m IN found[1..] | DELETE m);
MATCH (e:Entity)
WHERE e.key IS NOT NULL AND coalesce(e.id, '') <> e.user + ':' + e.key
CALL (e) {
  SET e.id = e.user + ':' + e.key, e.cased = coalesce(e.cased, true)
} IN TRANSACTIONS OF 1000 ROWS;
MATCH (e:Entity)
WHERE e.key IS NULL
DETACH DELETE e;
MATCH (name:EntityName)
CALL (name) {
  DETACH DELETE name
} IN TRANSACTIONS OF 1000 ROWS;
