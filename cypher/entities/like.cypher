// Finds names like one that a question uses: of the same letters or consonants, or beginning or ending with one of its words; only names that readable notes introduce.
CALL () {
  UNWIND $keys AS key
  MATCH (e:Entity {user: $user, key: key})
  RETURN e
  UNION
  UNWIND $joined AS joined
  MATCH (e:Entity {user: $user, joined: joined})
  RETURN e
  UNION
  UNWIND $consonants AS consonants
  MATCH (e:Entity {user: $user, consonants: consonants})
  RETURN e
  UNION
  UNWIND $words AS word
  MATCH (e:Entity {user: $user, head: word})
  RETURN e
  UNION
  UNWIND $words AS word
  MATCH (e:Entity {user: $user, tail: word})
  RETURN e
  UNION
  UNWIND $beginnings AS beginning
  MATCH (e:Entity {user: $user})
  WHERE e.key STARTS WITH beginning
  RETURN e
}
CALL (e) {
  MATCH (g:Note)-[m:MENTIONS {given: true}]->(e)
  WHERE @readable(g) AND g.status IN $statuses
  RETURN min(m.name) AS label, min(m.type) AS type
}
WITH e, label, type
WHERE label IS NOT NULL
ORDER BY e.key
LIMIT $limit
RETURN collect({key: e.key, id: e.id, name: label, type: type}) AS rows
