// Decides a reflection that waits, with its items; a row comes only if nobody has decided it before.
MATCH (r:Reflection {id: $id, user: $user})
SET r.touched = $now
REMOVE r.touched
WITH r
WHERE r.status = 'PENDING'
SET r.status = $status, r.decidedAt = $now, r.decidedBy = $actor
WITH r
CALL (r) {
  UNWIND $items AS row
  MATCH (r)-[:HAS_ITEM]->(i:ReflectionItem {id: row.id})
  SET i.accepted = row.accepted, i.link = row.link
}
RETURN r.id AS id
