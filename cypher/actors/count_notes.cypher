// Counts the readable notes that each of the given agents wrote, and tells when it wrote the newest of them.
UNWIND $ids AS id
CALL (id) {
  MATCH (:Agent {user: $user, id: id})-[:WROTE]->(n:Note)
  WHERE @readable(n) AND n.status IN ['ACTIVE', 'FADING', 'DORMANT']
  RETURN count(n) AS notes, max(n.createdAt) AS newest
}
RETURN id, notes, newest
