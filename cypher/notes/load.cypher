// Loads readable notes by id, with everything but the vector.
MATCH (n:Note)
WHERE n.id IN $ids AND n.audience IN $audiences AND n.expiresAt > $now
RETURN n {.id, .user, .author, .externalId, .version, .content, .title, .context, .keywords, .tags, .kind,
          .type, .source, .validity, .importance, .confidence, .loadBearing, .pinned, .domain, .visibility,
          .tier, .status, .halfLifeHours, .accessCount, .accessTimes, .createdAt, .updatedAt, .occurredAt,
          .validFrom, .validTo, .expiresAt, .episode, .speaker, .metadata} AS note
LIMIT 2000
