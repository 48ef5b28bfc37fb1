// Undoes a merge: everything that was said by the names of the absorbed entity, before the merge or since, goes back to it, and nothing else.
MATCH (parent:Entity)-[merge:ABSORBED {id: $id, user: $user}]->(b:Entity)
MATCH (root:Entity)-[:ABSORBED]->{0,20}(parent)
WHERE NOT EXISTS { (root)<-[:ABSORBED]-(:Entity) }
CALL (root) {
  MATCH (name:EntityName)-[:NAMES]->(root)
  WITH name ORDER BY name.key
  SET name.user = $user
}
CALL (root, b) {
  SET root.user = $user, b.user = $user
}
WITH parent, merge, root, b,
     COLLECT { MATCH (root)-[:ABSORBED]->{0,20}(x:Entity) RETURN x.id } AS group,
     COLLECT { MATCH (b)-[:ABSORBED]->{0,20}(x:Entity) RETURN x.id } AS inside
CALL (root, b, inside) {
  MATCH (name:EntityName)-[old:NAMES]->(root)
  WHERE name.home IN inside
  CREATE (name)-[:NAMES]->(b)
  SET name.home = CASE WHEN name.home <> b.id THEN name.home END
  DELETE old
}
CALL (root, b, inside) {
  MATCH (n:Note)-[old:MENTIONS]->(root)
  WHERE old.home IN inside
  CREATE (n)-[m:MENTIONS]->(b)
  SET m = properties(old), m.home = CASE WHEN old.home <> b.id THEN old.home ELSE '' END
  DELETE old
}
CALL (root, b, group, inside) {
  UNWIND inside + [root.id] AS id
  MATCH (x:Entity {id: id})-[old:RELATES_TO]-(:Entity)
  WITH DISTINCT root, b, group, inside, old, startNode(old) AS s, endNode(old) AS t
  WITH *, CASE WHEN coalesce(old.subjectHome, '') = '' THEN s.id ELSE old.subjectHome END AS subject,
       CASE WHEN coalesce(old.objectHome, '') = '' THEN t.id ELSE old.objectHome END AS object
  WHERE (subject IN inside OR object IN inside) AND NOT (subject IN inside AND object IN inside)
  MATCH (from:Entity {id: CASE WHEN subject IN inside THEN b.id WHEN s.id IN group THEN root.id ELSE s.id END})
  MATCH (to:Entity {id: CASE WHEN object IN inside THEN b.id WHEN t.id IN group THEN root.id ELSE t.id END})
  CREATE (from)-[r:RELATES_TO]->(to)
  SET r = properties(old), r.subjectHome = CASE WHEN subject = from.id THEN '' ELSE subject END,
      r.objectHome = CASE WHEN object = to.id THEN '' ELSE object END
  DELETE old
}
CALL (parent, b, merge) {
  CREATE (parent)-[:HAD_ABSORBED {id: merge.id, user: merge.user, at: merge.at, by: merge.by, score: merge.score, undoneAt: $now, undoneBy: $actor}]->(b)
}
WITH root, b, merge, merge.undo AS key, root.id AS kept, b.id AS parted
CALL (merge) {
  DELETE merge
}
// What purged notes alone mentioned is gone; and its key must be free before it is given back.
CALL (root) {
  WITH root WHERE NOT EXISTS { (:Note)-[:MENTIONS]->(root) } AND NOT EXISTS { (root)-[:ABSORBED]->() }
  DETACH DELETE root
}
CALL (b, key) {
  SET b.key = coalesce(key, COLLECT { MATCH (:Note)-[m:MENTIONS]->(b) RETURN m.keys[0] LIMIT 1 }[0])
}
CALL (b) {
  WITH b WHERE NOT EXISTS { (:Note)-[:MENTIONS]->(b) } AND NOT EXISTS { (b)-[:ABSORBED]->() }
  OPTIONAL MATCH (name:EntityName)-[:NAMES]->(b)
  DETACH DELETE name, b
}
RETURN kept, parted
