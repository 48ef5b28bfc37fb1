// Finds what new notes are compared with and linked to: the nearest notes of the same audience, and of the others that the writer may read the nearest for each group of readers, so that notes which somebody can't read take no places of those that he can; each note once, but for those in $exceptIds.
UNWIND $rows AS row
CALL (row) {
  MATCH (n:Note)
    SEARCH n IN (VECTOR INDEX note_embedding FOR row.vector
      WHERE n.audience = row.audience AND n.status IN $statuses AND n.expiresAt > $now AND n.validTo > $now
      LIMIT $near) SCORE AS s
  WHERE NOT n:Skill AND NOT n:Knowledge
  RETURN n, 2 * s - 1 AS similarity
  UNION ALL
  UNWIND row.others AS others
  MATCH (n:Note)
    SEARCH n IN (VECTOR INDEX note_embedding FOR row.vector
      WHERE n.audience IN others AND n.status IN $statuses AND n.expiresAt > $now AND n.validTo > $now
      LIMIT $far) SCORE AS s
  WHERE NOT n:Skill AND NOT n:Knowledge
  RETURN n, 2 * s - 1 AS similarity
}
WITH collect({index: row.index, id: n.id, similarity: similarity}) AS pairs, collect(DISTINCT n) AS found
RETURN pairs, [n IN found WHERE NOT n.id IN $exceptIds | n {.id, .user, .author, .externalId, .version, .content, .title, .context, .keywords, .tags, .kind,
          .type, .source, .validity, .importance, .confidence, .loadBearing, .pinned, .domain, .visibility, .section,
          .tier, .status, .halfLifeHours, .accessCount, .episode, .speaker, .metadata,
          accessTimes: [t IN n.accessTimes | t.epochMillis], createdAt: n.createdAt.epochMillis,
          updatedAt: n.updatedAt.epochMillis, occurredAt: n.occurredAt.epochMillis,
          validFrom: n.validFrom.epochMillis, validTo: n.validTo.epochMillis, expiresAt: n.expiresAt.epochMillis,
          givenKeywords: n.givenKeywords, names: [(n)-[m:MENTIONS {given: true}]->(:Entity) WHERE m.of IS NULL | m.keys[0]][..100]}] AS notes
