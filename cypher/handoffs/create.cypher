// Passes a task on to an agent with the notes that are lent for it, and takes away some of its handoffs that are over; a row comes only while the notes have the readers that were looked at and the agent has room. It belongs to the session that the agent has open, else to its next one.
MATCH (a:Agent {user: $user, id: $receiver})
SET a.touched = $now
REMOVE a.touched
WITH a
CALL (a) {
  MATCH (old:Handoff {user: $user})
  WHERE old.receiver = $receiver AND old.expiresAt <= $now
  WITH old LIMIT 200
  DETACH DELETE old
}
WITH a
WHERE COUNT { (h:Handoff)-[:TO]->(a) WHERE h.expiresAt > $now } < $most
CREATE (h:Handoff {id: $id, user: $user, sender: $sender, receiver: $receiver, summary: $summary, at: $now, expiresAt: $expiresAt})
CREATE (h)-[:TO]->(a)
WITH a, h
CALL (a, h) {
  MATCH (a)-[:HAS_SESSION]->(s:Session WHERE s.closedAt IS NULL AND s.closing IS NULL)
  CREATE (h)-[:FOR_SESSION]->(s)
}
CALL (h) {
  UNWIND $notes AS row
  MATCH (n:Note {id: row.id})
  WHERE n.audience = row.audience
  CREATE (h)-[:LENDS {place: row.place}]->(n)
}
WITH h
WHERE COUNT { (h)-[:LENDS]->(:Note) } = size($notes)
RETURN h.id AS id
