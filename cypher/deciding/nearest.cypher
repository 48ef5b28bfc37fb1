// Finds what new notes are compared with and linked to, each note once, but for those in $exceptIds: the nearest notes of the same audience, and those of the others that the writer may read.
// Of the others it finds the nearest for each group of readers, so that notes which somebody can't read take no places of those that he can. Most of a search costs the same however few notes it looks at, so the audiences in $alone, each a group by itself, are searched together as far as they hold at most $far notes.
CALL () {
  UNWIND $alone AS audience
  CALL (audience) {
    MATCH (n:Note)
    USING INDEX SEEK n:Note(audience, createdAt)
    WHERE n.audience = audience AND n.createdAt IS NOT NULL
    WITH n LIMIT $far + 1
    RETURN count(n) AS notes
  }
  RETURN collect(CASE WHEN notes <= $far THEN audience END) AS small
}
UNWIND $rows AS row
CALL (row, small) {
  MATCH (n:Note)
    SEARCH n IN (VECTOR INDEX note_embedding FOR row.vector
      WHERE n.audience = row.audience AND n.status IN $statuses AND n.expiresAt > $now AND n.validTo > $now
      LIMIT $near) SCORE AS s
  WHERE NOT n:Skill AND NOT n:Knowledge
  RETURN n, 2 * s - 1 AS similarity
  UNION ALL
  UNWIND [group IN row.others WHERE size(group) > 1 OR NOT group[0] IN small] AS others
  MATCH (n:Note)
    SEARCH n IN (VECTOR INDEX note_embedding FOR row.vector
      WHERE n.audience IN others AND n.status IN $statuses AND n.expiresAt > $now AND n.validTo > $now
      LIMIT $far) SCORE AS s
  WHERE NOT n:Skill AND NOT n:Knowledge
  RETURN n, 2 * s - 1 AS similarity
  UNION ALL
  WITH row, [group IN row.others WHERE size(group) = 1 AND group[0] IN small | group[0]] AS others
  WHERE size(others) > 0
  MATCH (n:Note)
    SEARCH n IN (VECTOR INDEX note_embedding FOR row.vector
      WHERE n.audience IN others AND n.status IN $statuses AND n.expiresAt > $now AND n.validTo > $now
      LIMIT $most) SCORE AS s
  WHERE NOT n:Skill AND NOT n:Knowledge
  RETURN n, 2 * s - 1 AS similarity
}
WITH collect({index: row.index, id: n.id, similarity: similarity}) AS pairs, collect(DISTINCT n) AS found
RETURN pairs, [n IN found WHERE coalesce(NOT n.id IN $exceptIds, true) | n {.id, .user, .author, .externalId, .version, .content, .title, .context, .keywords, .tags, .kind,
          .type, .source, .validity, .importance, .confidence, .loadBearing, .pinned, .domain, .visibility, .section,
          .tier, .status, .halfLifeHours, .accessCount, .episode, .speaker, .metadata, .quarantined, .heldFrom,
          accessTimes: [t IN n.accessTimes | t.epochMillis], createdAt: n.createdAt.epochMillis,
          updatedAt: n.updatedAt.epochMillis, occurredAt: n.occurredAt.epochMillis,
          validFrom: n.validFrom.epochMillis, validTo: n.validTo.epochMillis, expiresAt: n.expiresAt.epochMillis,
          givenKeywords: n.givenKeywords, names: [(n)-[m:MENTIONS {given: true}]->(:Entity) WHERE m.of IS NULL | m.keys[0]][..100]}] AS notes
