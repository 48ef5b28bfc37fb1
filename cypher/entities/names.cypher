// Finds the entities of a user that have one of the given names.
UNWIND $keys AS key
MATCH (e:Entity {user: $user, key: key})
RETURN collect({key: e.key, id: e.id, cased: e.cased}) AS rows
