// Finds what new notes are compared with and linked to: the nearest notes of the same audience, and of the others that the writer may read the nearest for each group of readers, so that notes which somebody can't read take no places of those that he can; each note once, but for those in $exceptIds. Audiences with no more notes than such a search gives are searched together, since most of the cost of a search is the same however few notes it looks at.
CALL () {
  UNWIND $others AS audience
  CALL (audience) {
    MATCH (n:Note)
    USING INDEX SEEK n:Note(audience, createdAt)
    WHERE n.audience = audience AND n.createdAt IS NOT NULL
    WITH n LIMIT $far + 1
    RETURN count(n) AS notes
  }
  RETURN collect(CASE WHEN notes <= $far THEN audience END)[..$together] AS small
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
  UNWIND [group IN row.others | [audience IN group WHERE NOT audience IN small]] AS others
  WITH row, others WHERE size(others) > 0
  MATCH (n:Note)
    SEARCH n IN (VECTOR INDEX note_embedding FOR row.vector
      WHERE n.audience IN others AND n.status IN $statuses AND n.expiresAt > $now AND n.validTo > $now
      LIMIT $far) SCORE AS s
  WHERE NOT n:Skill AND NOT n:Knowledge
  RETURN n, 2 * s - 1 AS similarity
  UNION ALL
  WITH row, [audience IN small WHERE any(group IN row.others WHERE audience IN group)] AS others
  WHERE size(others) > 0
  MATCH (n:Note)
    SEARCH n IN (VECTOR INDEX note_embedding FOR row.vector
      WHERE n.audience IN others AND n.status IN $statuses AND n.expiresAt > $now AND n.validTo > $now
      LIMIT $most) SCORE AS s
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
