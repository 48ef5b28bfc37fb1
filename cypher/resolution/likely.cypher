// Finds pairs of entities with names that have something in common, as far as readable notes introduce them, in the order of their ids.
CALL () {
  // By what all the names of a user have in common, which costs less than six looks for each.
  MATCH (e:Entity {user: $user})
  USING INDEX SEEK e:Entity(user, key)
  WHERE e.key IS NOT NULL
  UNWIND [['j', e.joined, 1], ['j', e.initials, 0], ['j', e.head, 0], ['j', e.tail, 0], ['c', e.consonants, 1], ['p', e.person, 1]] AS form
  WITH e, form WHERE form[1] IS NOT NULL
  WITH form[0] + form[1] AS form, collect(DISTINCT e) AS named, max(form[2]) AS whole
  WHERE size(named) > 1 AND whole = 1
  UNWIND named AS a
  RETURN a
  UNION
  MATCH (a:Entity {user: $user})
  USING INDEX SEEK a:Entity(user, key)
  WHERE a.key IS NOT NULL AND EXISTS { (a)-[:ALSO_CALLED]-() }
  RETURN a
}
WITH a ORDER BY a.id
WHERE EXISTS {
  (n:Note)-[:MENTIONS {given: true}]->(a)
  WHERE @readable(n) AND n.status IN $statuses
}
CALL (a) {
  CALL (a) {
    MATCH (b:Entity {user: $user, joined: a.joined}) USING INDEX SEEK b:Entity(user, joined) RETURN b
    UNION
    MATCH (b:Entity {user: $user, initials: a.joined}) USING INDEX SEEK b:Entity(user, initials) RETURN b
    UNION
    MATCH (b:Entity {user: $user, joined: a.initials}) USING INDEX SEEK b:Entity(user, joined) RETURN b
    UNION
    MATCH (b:Entity {user: $user, consonants: a.consonants}) USING INDEX SEEK b:Entity(user, consonants) RETURN b
    UNION
    MATCH (b:Entity {user: $user, person: a.person}) USING INDEX SEEK b:Entity(user, person) RETURN b
    UNION
    MATCH (b:Entity {user: $user, head: a.joined}) USING INDEX SEEK b:Entity(user, head) RETURN b
    UNION
    MATCH (b:Entity {user: $user, joined: a.head}) USING INDEX SEEK b:Entity(user, joined) RETURN b
    UNION
    MATCH (b:Entity {user: $user, tail: a.joined}) USING INDEX SEEK b:Entity(user, tail) RETURN b
    UNION
    MATCH (b:Entity {user: $user, joined: a.tail}) USING INDEX SEEK b:Entity(user, joined) RETURN b
    UNION
    MATCH (a)-[r:ALSO_CALLED]-(b:Entity)
    WHERE EXISTS { MATCH (n:Note {id: r.noteId}) WHERE @readable(n) AND n.status IN $statuses }
    RETURN b
  }
  WITH a, b
  WHERE b.id > a.id AND EXISTS {
    (n:Note)-[:MENTIONS {given: true}]->(b)
    WHERE @readable(n) AND n.status IN $statuses
  }
  WITH b ORDER BY b.id LIMIT 30
  RETURN b
}
RETURN a.id AS one, b.id AS other
LIMIT $limit
