// Reads the newest notes that agents wrote, as far as they may be read, with what they tell of what the agents know.
UNWIND $agents AS agent
MATCH (a:Agent {user: agent.user, id: agent.id})
CALL (a) {
  MATCH (a)-[:WROTE]->(n:Note)
  WHERE n.audience IN $audiences AND n.status IN $statuses AND n.expiresAt > datetime($now) AND n.validTo > datetime($now)
  RETURN n ORDER BY n.createdAt DESC, n.id LIMIT $limit
}
RETURN collect({
  id: n.id, user: n.user, author: n.author, audience: n.audience, domain: n.domain, written: n.createdAt.epochMillis, tags: n.tags,
  recalled: [at IN n.accessTimes | at.epochMillis],
  helped: [at IN coalesce(n.helpedAt, []) | at.epochMillis], failed: [at IN coalesce(n.failedAt, []) | at.epochMillis],
  successes: coalesce(n.successCount, 0), failures: coalesce(n.failureCount, 0), used: coalesce(n.lastUsedAt, n.updatedAt).epochMillis,
  names: COLLECT { MATCH (n)-[m:MENTIONS {given: true}]->(e:Entity) RETURN m.name ORDER BY m.count DESC, e.id LIMIT 10 }
}) AS rows
