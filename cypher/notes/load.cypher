// Loads readable notes by id, with everything but the vector; times as milliseconds, which the driver reads fast. Of the notes in $near it tells how near they are to $vector, 0 where the vector is of another model. Of those in $reached it tells what the last stage of a recall asks for, and no more unless they are in $ids, too.
UNWIND $ids + [id IN $reached WHERE NOT id IN $ids] AS id
MATCH (n:Note {id: id})
WHERE n.audience IN $audiences AND n.expiresAt > datetime($now)
WITH n LIMIT 2000
WITH n, n.id IN $ids AS whole, n.id IN $reached AS reached, CASE WHEN NOT n.id IN $near THEN null WHEN size(n.embedding) = vector_dimension_count($vector) THEN 2 * vector.similarity.cosine(n.embedding, $vector) - 1 ELSE 0.0 END AS similarity
RETURN collect(CASE WHEN reached THEN n {.id, .title, .speaker, .episode, .status, .words, .traits, similarity: similarity} END) AS reached,
  collect(CASE WHEN whole THEN n {.id, .user, .author, .externalId, .version, .content, .title, .context, .keywords, .tags, .kind,
          .type, .source, .validity, .importance, .confidence, .loadBearing, .pinned, .domain, .visibility, .section,
          .tier, .status, .halfLifeHours, .accessCount, .episode, .speaker, .metadata, .quarantined, .heldFrom,
          accessTimes: [t IN n.accessTimes | t.epochMillis], createdAt: n.createdAt.epochMillis,
          updatedAt: n.updatedAt.epochMillis, occurredAt: n.occurredAt.epochMillis,
          validFrom: n.validFrom.epochMillis, validTo: n.validTo.epochMillis, expiresAt: n.expiresAt.epochMillis,
          similarity: similarity} END) AS rows
