// Finds names that may be one by form with a name, as readable notes call them.
MATCH (e:Entity {user: $user, loose: $loose})
USING INDEX SEEK e:Entity(user, loose)
CALL (e) {
  MATCH (n:Note)-[m:MENTIONS {given: true}]->(e)
  WHERE @readable(n) AND n.status IN $statuses
  WITH DISTINCT [m.name, m.type] AS called ORDER BY called LIMIT 50
  RETURN collect(called) AS names
}
WITH e, names
WHERE size(names) > 0
ORDER BY e.id LIMIT 50
RETURN collect({id: e.id, names: names}) AS rows
