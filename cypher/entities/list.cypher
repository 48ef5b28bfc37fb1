// Lists the names that readable notes introduce, in the order of their keys, from a key on.
MATCH (e:Entity {user: $user})
USING INDEX SEEK e:Entity(user, key)
WHERE e.key > $after AND ($search IS NULL OR e.key CONTAINS $search)
  AND EXISTS { (g:Note)-[:MENTIONS {given: true}]->(e) WHERE @readable(g) AND g.status IN $statuses }
RETURN e.id AS id, e.key AS key
ORDER BY e.key
LIMIT $limit
