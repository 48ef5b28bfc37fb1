// Lists everybody's notes by id after an id, to embed them anew.
MATCH (n:Note)
WHERE n.id > $after
WITH n ORDER BY n.id LIMIT $limit
RETURN n {.id, .user, .author, .externalId, .version, .content, .title, .context, .keywords, .tags, .kind, .type, .source, .validity, .importance, .confidence, .loadBearing, .pinned, .domain, .visibility, .tier, .status, .halfLifeHours, .accessCount, .accessTimes, .createdAt, .updatedAt, .occurredAt, .validFrom, .validTo, .expiresAt, .episode, .speaker, .metadata} AS note
ORDER BY n.id
