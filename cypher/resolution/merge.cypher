// Makes entities one, row by row: those of the ids, the first one staying, or those that began with the names, the oldest staying. Where a row has an audience, only what notes of that audience alone introduce, and what nobody parted.
UNWIND $rows AS row
CALL (row) {
  CALL (row) {
    UNWIND row.ids AS id
    MATCH (e:Entity {id: id, user: $user})
    RETURN e
    UNION
    UNWIND row.keys AS key
    MATCH (:EntityName {user: $user, key: key})-[:NAMES]->(e:Entity {key: key})
    RETURN e
  }
  WITH row, e ORDER BY e.id
  WITH row, collect(DISTINCT e) AS found
  WHERE size(found) > 1
  // Whoever else writes by these names, or merges these entities, waits; then they are looked at anew.
  CALL (found) {
    UNWIND found AS e
    MATCH (name:EntityName)-[:NAMES]->(e)
    WITH name ORDER BY name.key
    SET name.user = $user
  }
  CALL (found) {
    UNWIND found AS e
    SET e.user = $user
  }
  CALL (found) {
    UNWIND found AS e
    MATCH (root:Entity)-[:ABSORBED]->{0,20}(e)
    WHERE NOT EXISTS { (root)<-[:ABSORBED]-(:Entity) }
    RETURN collect(DISTINCT root) AS roots
  }
  WITH row, [e IN roots WHERE row.audience IS NULL OR (e.id IN [one IN found | one.id] AND NOT EXISTS {
    (g:Note)-[:MENTIONS {given: true}]->(e) WHERE g.audience <> row.audience
  })] AS roots
  UNWIND roots AS e
  WITH row, e ORDER BY CASE WHEN e.id = row.ids[0] THEN 0 ELSE 1 END, e.createdAt, e.id
  WITH row, collect(e) AS roots
  WITH row, roots[0] AS a, roots[1..] AS others
  UNWIND range(0, size(others) - 1) AS i
  WITH row, a, others[i] AS b, row.mergeIds[i] AS id
  WHERE id IS NOT NULL AND (row.audience IS NULL OR NOT EXISTS { (a)-[:HAD_ABSORBED]-(b) })
  CALL (row, a, b, id) {
    CREATE (a)-[:ABSORBED {id: id, user: $user, at: $now, by: row.by, score: row.score, undo: b.key}]->(b)
    SET b.key = null
  }
  CALL (a, b) {
    MATCH (name:EntityName)-[old:NAMES]->(b)
    CREATE (name)-[:NAMES]->(a)
    SET name.home = coalesce(name.home, b.id)
    DELETE old
  }
  CALL (a, b) {
    MATCH (n:Note)-[old:MENTIONS]->(b)
    CREATE (n)-[m:MENTIONS]->(a)
    SET m = properties(old), m.home = CASE WHEN coalesce(old.home, '') = '' THEN b.id ELSE old.home END
    DELETE old
  }
  CALL (a, b) {
    MATCH (b)-[old:RELATES_TO]-(o:Entity)
    WHERE NOT EXISTS { (o)<-[:ABSORBED]-(:Entity) }
    WITH a, b, o, old, startNode(old) AS s, endNode(old) AS t
    WITH a, b, o, old, s, t,
         CASE WHEN coalesce(old.subjectHome, '') = '' THEN s.id ELSE old.subjectHome END AS subject,
         CASE WHEN coalesce(old.objectHome, '') = '' THEN t.id ELSE old.objectHome END AS object
    MATCH (from:Entity {id: CASE WHEN o = a THEN subject WHEN s = b THEN a.id ELSE s.id END})
    MATCH (to:Entity {id: CASE WHEN o = a THEN object WHEN t = b THEN a.id ELSE t.id END})
    CREATE (from)-[r:RELATES_TO]->(to)
    SET r = properties(old), r.subjectHome = CASE WHEN subject = from.id THEN '' ELSE subject END,
        r.objectHome = CASE WHEN object = to.id THEN '' ELSE object END
    DELETE old
  }
  RETURN id, a.id AS kept, b.id AS absorbed
}
RETURN id, kept, absorbed
