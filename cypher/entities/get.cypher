// Reads entities that a readable note introduces, as far as readable notes mention them: by id, or by a name that such a note uses.
CALL () {
  MATCH (e:Entity) WHERE e.id IN $ids AND e.user = $user
  RETURN e, null AS byKey
  UNION
  MATCH (name:EntityName {user: $user}) WHERE name.key IN $keys
  MATCH (name)-[:NAMES]->(e:Entity)
  RETURN e, name.key AS byKey
}
// What was found by an absorbed name counts where a readable note introduces that name.
CALL (e) {
  MATCH (n:Note)-[m:MENTIONS]->(e)
  WHERE n.audience IN $audiences AND n.expiresAt > $now AND n.status IN $statuses
    AND (m.given OR NOT EXISTS { (e)-[:ABSORBED]->(:Entity) } OR EXISTS { (g:Note)-[i:MENTIONS {given: true}]->(e) WHERE coalesce(i.home, '') = coalesce(m.home, '') AND g.audience IN $audiences AND g.expiresAt > $now AND g.status IN $statuses })
  WITH m, n ORDER BY m.given DESC, n.createdAt, n.id, m.home, m.name
  RETURN count(DISTINCT n) AS noteCount, collect(m.name)[0] AS name, collect(m.type)[0] AS type,
         collect(m.names) AS names, collect(m.keys) AS keys,
         collect(m.given)[0] AS introduced
}
WITH e, byKey, noteCount, name, type, names, keys, introduced
WHERE introduced AND (byKey IS NULL OR any(list IN keys WHERE byKey IN list))
RETURN e.id AS id, byKey, name, type, noteCount, reduce(all = [], list IN names[..1000] | all + list) AS names
LIMIT 1000
