// Searches what teams know, the gate inside the search; what was made of a note that its owner has put away is not told.
MATCH (n:Note)
  SEARCH n IN (VECTOR INDEX note_embedding FOR $vector
    WHERE n.audience IN $audiences AND n.status IN $statuses AND n.expiresAt > $now
    LIMIT $limit) SCORE AS s
WHERE n:Knowledge AND NOT EXISTS {
  (n)-[:PROMOTED_FROM]->(o:Note) WHERE o.status = 'ARCHIVED' AND o.archivedBy IS NULL
}
WITH n, 2 * s - 1 AS similarity ORDER BY similarity DESC, n.id
RETURN collect(n {.id, .user, .content, .domain, .confidence, .verifiedBy, .sourceUser, .version,
  promotedFrom: [(n)-[:PROMOTED_FROM]->(o:Note) | o.id][0], similarity: similarity}) AS rows
