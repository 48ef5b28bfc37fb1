// Finds names like one that a question uses: of the same letters or consonants, or beginning or ending with one of its words; only names that readable notes introduce and use.
CALL () {
  UNWIND $keys AS key
  MATCH (name:EntityName {user: $user, key: key})
  RETURN name
  UNION
  UNWIND $joined AS joined
  MATCH (name:EntityName {user: $user, joined: joined})
  RETURN name
  UNION
  UNWIND $bones AS bones
  MATCH (name:EntityName {user: $user, bones: bones})
  RETURN name
  UNION
  UNWIND $words AS word
  MATCH (name:EntityName {user: $user, head: word})
  RETURN name
  UNION
  UNWIND $words AS word
  MATCH (name:EntityName {user: $user, tail: word})
  RETURN name
  UNION
  UNWIND $beginnings AS beginning
  MATCH (name:EntityName {user: $user})
  WHERE name.key STARTS WITH beginning
  RETURN name
}
MATCH (name)-[:NAMES]->(e:Entity)
WHERE EXISTS { (g:Note)-[:MENTIONS {given: true}]->(e) WHERE g.audience IN $audiences AND g.expiresAt > $now AND g.status IN $statuses }
CALL (name, e) {
  MATCH (n:Note)-[m:MENTIONS]->(e)
  WHERE name.key IN m.keys AND n.audience IN $audiences AND n.expiresAt > $now AND n.status IN $statuses
    AND (m.given OR NOT EXISTS { (e)-[:ABSORBED]->(:Entity) } OR EXISTS { (g:Note)-[i:MENTIONS {given: true}]->(e) WHERE coalesce(i.home, '') = coalesce(m.home, '') AND g.audience IN $audiences AND g.expiresAt > $now AND g.status IN $statuses })
  RETURN count(*) AS uses, min(m.name) AS label, min(m.type) AS type
}
WITH name, e, uses, label, type
WHERE uses > 0
LIMIT $limit
RETURN collect({key: name.key, id: e.id, name: label, type: type}) AS rows
