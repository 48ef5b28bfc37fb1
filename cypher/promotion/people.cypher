// Reads the names of the people that a readable note mentions, as this note or other readable notes introduce them.
MATCH (n:Note {id: $id})-[m:MENTIONS]->(e:Entity)
WHERE n.audience IN $audiences AND (toLower(m.type) = 'person' OR EXISTS {
  (g:Note)-[i:MENTIONS {given: true}]->(e)
  WHERE toLower(i.type) = 'person' AND @readable(g)
})
WITH DISTINCT e, m ORDER BY m.name LIMIT $limit
RETURN collect({names: [m.name] + coalesce(m.names, [])}) AS rows
