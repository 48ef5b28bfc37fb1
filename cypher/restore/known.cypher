// Tells which ids, external ids, idempotency keys and texts of a user's notes there are already, and whose the ids are.
OPTIONAL MATCH (u:User {id: $user})
RETURN coalesce(u.recalls, 0) AS recalls,
  COLLECT { UNWIND $ids AS id MATCH (n:Note {id: id}) RETURN [n.id, n.user] } AS notes,
  COLLECT { MATCH (n:Note) WHERE n.user = $user AND n.externalKey IN $externalKeys RETURN n.externalKey } AS externalKeys,
  COLLECT { MATCH (n:Note) WHERE n.user = $user AND n.idempotencyKey IN $requestKeys RETURN n.idempotencyKey } AS requestKeys,
  COLLECT { MATCH (n:Note) WHERE n.curatedKey IN $curatedKeys RETURN n.curatedKey } AS curatedKeys
