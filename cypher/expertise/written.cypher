// Finds the newest notes that agents wrote, as far as they may be read.
UNWIND $agents AS agent
MATCH (a:Agent {user: agent.user, id: agent.id})
CALL (a) {
  MATCH (a)-[:WROTE]->(n:Note)
  WHERE n.audience IN $audiences AND n.status IN $statuses AND n.expiresAt > datetime($now) AND n.validTo > datetime($now)
  RETURN n.id AS id ORDER BY n.createdAt DESC, id LIMIT $limit
}
RETURN collect({id: id}) AS rows
