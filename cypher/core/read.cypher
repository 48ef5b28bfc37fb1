// Reads what core memory is made of, as far as it may be read: the lines that were written for it, the newest notes of each mark, the most active knowledge, and when the first note was written. A note that a newer one may have made out of date is left out where that one belongs to core memory, too, unless somebody wrote or pinned the older one. Each order names all properties of its index, which then gives the notes in that order.
CALL () {
  UNWIND $audiences AS audience
  CALL (audience) {
    MATCH (n:Note {audience: audience})
    USING INDEX SEEK n:Note(audience, coreBlock)
    WHERE n.coreBlock IS NOT NULL AND n.status IN $statuses
      AND n.expiresAt > $now AND n.validFrom <= $now AND n.validTo > $now
    RETURN n, n.coreBlock AS block, null AS mark, $lines AS most
    LIMIT $lines
    UNION ALL
    UNWIND $marks AS wanted
    WITH wanted.mark AS mark, wanted.most AS most
    CALL (audience, mark) {
      MATCH (n:Note {audience: audience, coreMark: mark})
      USING INDEX SEEK n:Note(audience, coreMark, createdAt)
      WHERE n.createdAt IS NOT NULL AND n.coreBlock IS NULL AND NOT n:Skill AND NOT n:Knowledge AND n.status IN $statuses AND n.validity <> 'DEPRECATED'
        AND n.expiresAt > $now AND n.validFrom <= $now AND n.validTo > $now
      RETURN n ORDER BY n.audience DESC, n.coreMark DESC, n.createdAt DESC LIMIT $newest
    }
    RETURN n, null AS block, mark, most
    UNION ALL
    MATCH (a:Audience {key: audience})-[:TELLS]->(n:Note {audience: audience})
    USING INDEX SEEK a:Audience(key)
    WHERE n.coreBlock IS NULL AND n.status IN $statuses AND n.validity <> 'DEPRECATED'
      AND n.expiresAt > $now AND n.validFrom <= $now AND n.validTo > $now
    RETURN n, null AS block, $active AS mark, $lines AS most
  }
  WITH n, block, mark, most
  WHERE block IS NOT NULL OR n.pinned OR NOT EXISTS {
    MATCH (n)<-[r:LINKS_TO {kind: $updates}]-(x:Note)
    WHERE x.audience IN $audiences AND x.status IN $statuses AND x.coreMark IS NOT NULL
      AND x.expiresAt > $now AND x.validFrom <= $now AND x.validTo > $now
      AND all(then IN [r.sourceThen, r.targetThen] WHERE then IS NULL OR then IN $audiences)
  }
  WITH n, block, mark, most ORDER BY n.createdAt DESC, n.id DESC
  WITH block, mark, most, collect(n) AS found
  UNWIND found[..most] AS n
  RETURN collect(n {.id, .user, .author, .externalId, .version, content: left(n.content, $letters), .title, .context, .keywords, .tags, .kind,
          .type, .source, .validity, .importance, .confidence, .loadBearing, .pinned, .domain, .visibility, .section,
          .tier, .status, .halfLifeHours, .accessCount, .episode, .speaker, metadata: null, .quarantined, .heldFrom,
          accessTimes: [t IN n.accessTimes | t.epochMillis], createdAt: n.createdAt.epochMillis,
          updatedAt: n.updatedAt.epochMillis, occurredAt: n.occurredAt.epochMillis,
          validFrom: n.validFrom.epochMillis, validTo: n.validTo.epochMillis, expiresAt: n.expiresAt.epochMillis,
          block: block, mark: mark}) AS notes
}
CALL () {
  UNWIND $audiences AS audience
  CALL (audience) {
    MATCH (n:Note {audience: audience})
    USING INDEX SEEK n:Note(audience, createdAt)
    WHERE n.createdAt IS NOT NULL
    WITH n ORDER BY n.audience, n.createdAt LIMIT $oldest
    WHERE n.expiresAt > $now
    RETURN min(n.createdAt) AS at
  }
  RETURN min(at).epochMillis AS since
}
RETURN notes, since
