// Finds pairs of entities with names that have something in common, newest first, as far as readable notes introduce them by these names; parted ones are left out.
MATCH (one:EntityName {user: $user})
USING INDEX SEEK one:EntityName(user, key)
WHERE one.key IS NOT NULL
MATCH (one)-[:NAMES]->(a:Entity)
WHERE EXISTS {
  (n:Note)-[m:MENTIONS {given: true}]->(a)
  WHERE one.key IN m.keys AND n.audience IN $audiences AND n.expiresAt > $now AND n.status IN $statuses
}
CALL (one, a) {
  CALL (one) {
    MATCH (other:EntityName {user: $user, joined: one.joined}) USING INDEX SEEK other:EntityName(user, joined) RETURN other
    UNION
    MATCH (other:EntityName {user: $user, initials: one.joined}) USING INDEX SEEK other:EntityName(user, initials) RETURN other
    UNION
    MATCH (other:EntityName {user: $user, bones: one.bones}) USING INDEX SEEK other:EntityName(user, bones) RETURN other
    UNION
    MATCH (other:EntityName {user: $user, person: one.person}) USING INDEX SEEK other:EntityName(user, person) RETURN other
    UNION
    MATCH (other:EntityName {user: $user, head: one.joined}) USING INDEX SEEK other:EntityName(user, head) RETURN other
    UNION
    MATCH (other:EntityName {user: $user, tail: one.joined}) USING INDEX SEEK other:EntityName(user, tail) RETURN other
    UNION
    MATCH (one)-[:NAMES]->(:Entity)<-[m:MENTIONS {given: true}]-(n:Note)
    WHERE size(m.keys) > 1 AND one.key IN m.keys AND n.audience IN $audiences AND n.expiresAt > $now AND n.status IN $statuses
    WITH m LIMIT 20
    UNWIND m.keys AS key
    MATCH (other:EntityName {user: $user, key: key}) RETURN other
  }
  MATCH (other)-[:NAMES]->(b:Entity)
  WHERE b <> a AND NOT EXISTS { (a)-[:HAD_ABSORBED]-(b) } AND EXISTS {
    (n:Note)-[m:MENTIONS {given: true}]->(b)
    WHERE other.key IN m.keys AND n.audience IN $audiences AND n.expiresAt > $now AND n.status IN $statuses
  }
  WITH b, min(other.key) AS key ORDER BY key, b.id LIMIT 30
  RETURN b
}
WITH DISTINCT CASE WHEN a.id < b.id THEN a.id ELSE b.id END AS older, CASE WHEN a.id < b.id THEN b.id ELSE a.id END AS newer
RETURN older, newer
ORDER BY newer DESC, older
LIMIT $limit
