// Keeps the digests of months with what these events add, and takes the events away; a row comes only while all of them are there. The lock of their stream comes first.
MATCH (s:Stream {name: $user})
SET s.locked = true
WITH s
WHERE COUNT { UNWIND $ids AS id MATCH (e:Event {id: id}) } = size($ids)
CALL () {
  UNWIND $digests AS row
  MERGE (d:AuditDigest {user: $user, month: row.month})
    ON CREATE SET d:System
  SET d.numbers = row.numbers, d.marks = row.marks, d.updatedAt = $now
}
CALL () {
  UNWIND $ids AS id
  MATCH (e:Event {id: id})
  DETACH DELETE e
}
RETURN size($ids) AS taken
