// Finds the entities of a user that have one of the given names.
MATCH (name:EntityName {user: $user})
WHERE name.key IN $keys
MATCH (name)-[:NAMES]->(e:Entity)
RETURN name.key AS key, e.id AS id, e.cased AS cased
LIMIT 5000
