// Lists the entities that readable notes introduce and mention by name, in the order of their keys.
MATCH (e:Entity {user: $user})
USING INDEX SEEK e:Entity(user, key)
WHERE e.key IS NOT NULL AND EXISTS {
  (n:Note)-[m:MENTIONS]->(e)
  WHERE n.audience IN $audiences AND n.expiresAt > $now AND n.status IN $statuses
    AND ($search IS NULL OR any(key IN m.keys WHERE key CONTAINS $search))
}
AND EXISTS { (g:Note)-[:MENTIONS {given: true}]->(e) WHERE g.audience IN $audiences AND g.expiresAt > $now AND g.status IN $statuses }
RETURN e.id AS id
ORDER BY e.key
LIMIT $limit
