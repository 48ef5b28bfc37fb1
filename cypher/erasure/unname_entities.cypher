// Takes names, given by key, from the notes of a user, with the entities that have one of them or that nothing mentions any more. One that is mentioned by another name goes by that.
MATCH (e:Entity {user: $user})
WHERE e.key IS NOT NULL
CALL (e) {
  MATCH (e)<-[m:MENTIONS]-(:Note)
  WHERE any(key IN m.keys WHERE key IN $keys)
  DELETE m
  RETURN count(*) AS gone
}
WITH e, gone
WHERE gone > 0 OR e.key IN $keys
CALL (e) {
  OPTIONAL MATCH (:Note)-[other:MENTIONS]->(e)
  RETURN other ORDER BY other.given DESC, other.of IS NOT NULL, other.at, other.name LIMIT 1
}
CALL (e, other) {
  WITH e, other WHERE other IS NOT NULL AND NOT e.key IN $keys
  SET e.name = other.name, e.type = other.type
}
CALL (e, other) {
  WITH e, other WHERE other IS NULL OR e.key IN $keys
  DETACH DELETE e
}
RETURN count(*) AS entities
