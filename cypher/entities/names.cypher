// Finds the entities of a user that have one of the given names.
MATCH (name:EntityName {user: $user})
WHERE name.key IN $keys
MATCH (name)-[:NAMES]->(e:Entity)
WITH name, e LIMIT 5000
RETURN collect({key: name.key, id: e.id, cased: e.cased}) AS rows
