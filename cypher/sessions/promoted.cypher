// Finds the readable notes that came of the local memory of sessions, the oldest first.
UNWIND $ids AS id
MATCH (:Session {id: id, user: $user})-[p:PROMOTED]->(n:Note)
WHERE @readable(n)
RETURN id, n.id AS note
ORDER BY id, p.at, note
LIMIT 10000
