// Lists everybody's notes by id after an id, or those of them without a vector, to embed or index them again; in the form of notes/load.
MATCH (n:Note)
WHERE n.id > $after AND CASE WHEN $missing THEN n.embedding IS NULL ELSE true END
WITH n ORDER BY n.id LIMIT $limit
RETURN collect(n {.id, .user, .author, .externalId, .version, .content, .title, .context, .keywords, .tags, .kind,
          .type, .source, .validity, .importance, .confidence, .loadBearing, .pinned, .domain, .visibility, .section,
          .tier, .status, .halfLifeHours, .accessCount, .episode, .speaker, .metadata, .quarantined, .heldFrom,
          accessTimes: [t IN n.accessTimes | t.epochMillis], createdAt: n.createdAt.epochMillis,
          updatedAt: n.updatedAt.epochMillis, occurredAt: n.occurredAt.epochMillis,
          validFrom: n.validFrom.epochMillis, validTo: n.validTo.epochMillis, expiresAt: n.expiresAt.epochMillis}) AS rows
