// Finds pairs of entities with names that have something in common, as far as readable notes introduce them.
MATCH (a:Entity {user: $user})
USING INDEX SEEK a:Entity(user, key)
WHERE a.key IS NOT NULL AND EXISTS {
  (n:Note)-[:MENTIONS {given: true}]->(a)
  WHERE @readable(n) AND n.status IN $statuses
}
CALL (a) {
  CALL (a) {
    MATCH (b:Entity {user: $user, joined: a.joined}) USING INDEX SEEK b:Entity(user, joined) RETURN b
    UNION
    MATCH (b:Entity {user: $user, initials: a.joined}) USING INDEX SEEK b:Entity(user, initials) RETURN b
    UNION
    MATCH (b:Entity {user: $user, consonants: a.consonants}) USING INDEX SEEK b:Entity(user, consonants) RETURN b
    UNION
    MATCH (b:Entity {user: $user, person: a.person}) USING INDEX SEEK b:Entity(user, person) RETURN b
    UNION
    MATCH (b:Entity {user: $user, head: a.joined}) USING INDEX SEEK b:Entity(user, head) RETURN b
    UNION
    MATCH (b:Entity {user: $user, tail: a.joined}) USING INDEX SEEK b:Entity(user, tail) RETURN b
    UNION
    MATCH (a)-[r:ALSO_CALLED]-(b:Entity)
    WHERE EXISTS { MATCH (n:Note {id: r.noteId}) WHERE @readable(n) AND n.status IN $statuses }
    RETURN b
  }
  WITH a, b
  WHERE b <> a AND EXISTS {
    (n:Note)-[:MENTIONS {given: true}]->(b)
    WHERE @readable(n) AND n.status IN $statuses
  }
  WITH b ORDER BY b.key LIMIT 30
  RETURN b
}
WITH DISTINCT CASE WHEN a.id < b.id THEN a.id ELSE b.id END AS one, CASE WHEN a.id < b.id THEN b.id ELSE a.id END AS other
RETURN one, other
ORDER BY one, other
LIMIT $limit
