// Loads readable skills by id.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n:Skill AND n.audience IN $audiences AND n.expiresAt > $now AND n.status IN $statuses
WITH n LIMIT 1000
RETURN collect(n {.id, .user, .title, .content, .trigger, .tags, .successCount, .failureCount, .usedBy, .version, .sourceAgents,
  lastUsedAt: n.lastUsedAt.epochMillis}) AS rows
