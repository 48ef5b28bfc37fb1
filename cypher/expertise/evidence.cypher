// Reads of notes what they tell of what their writers know; the gate on each.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.audience IN $audiences AND n.status IN $statuses AND n.expiresAt > datetime($now)
RETURN collect({
  id: n.id, user: n.user, author: n.author, audience: n.audience, domain: n.domain, written: n.createdAt.epochMillis, tags: n.tags,
  recalled: [at IN n.accessTimes | at.epochMillis],
  helped: [at IN coalesce(n.helpedAt, []) | at.epochMillis], failed: [at IN coalesce(n.failedAt, []) | at.epochMillis],
  successes: coalesce(n.successCount, 0), failures: coalesce(n.failureCount, 0), used: coalesce(n.lastUsedAt, n.updatedAt).epochMillis,
  names: COLLECT { MATCH (n)-[m:MENTIONS {given: true}]->(e:Entity) RETURN m.name ORDER BY e.id LIMIT 10 }
}) AS rows
