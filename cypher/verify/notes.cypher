// Reads, note by note after an id, what decides who may read it, and counts what does not agree with that, for `graphmem verify`.
MATCH (n:Note)
WHERE n.id > $after
WITH n ORDER BY n.id LIMIT $limit
RETURN collect(n {.id, .user, .visibility, .section, .domain, .author, .audience, .audienceToken,
  dimension: size(n.embedding), otherDimension: size(n.embedding2),
  current: n:Current,
  alive: n.status = 'ACTIVE' AND n.tier <> 'LONG_TERM' AND n.validFrom <= datetime('0001-01-02T00:00:00Z') AND n.validTo >= datetime('9999-12-30T00:00:00Z') AND n.expiresAt >= datetime('9999-12-30T00:00:00Z'),
  readers: COLLECT { MATCH (n)-[:FOR]->(a:Audience) RETURN a.key },
  passages: COUNT {
    MATCH (n)-[:HAS_PASSAGE]->(p:Passage)
    WHERE coalesce(p.audience <> n.audience OR p.status <> n.status OR p.tier <> n.tier, true)
  },
  passageDimensions: COLLECT { MATCH (n)-[:HAS_PASSAGE]->(p:Passage) WHERE p.embedding2 IS NULL RETURN DISTINCT coalesce(size(p.embedding), 0) },
  otherPassageDimensions: COLLECT { MATCH (n)-[:HAS_PASSAGE]->(p:Passage) WHERE p.embedding2 IS NOT NULL RETURN DISTINCT CASE WHEN p.embedding IS NULL THEN size(p.embedding2) ELSE 0 END },
  relations: COUNT {
    MATCH (:Entity)-[r:RELATES_TO {noteId: n.id}]->(:Entity)
    WHERE coalesce(r.audience <> n.audience OR r.status <> n.status, true)
  }}) AS rows
