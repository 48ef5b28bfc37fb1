// Searches what teams know, the gate inside the search, and counts what was looked at; what was made of a note that its owner has put away is not told.
MATCH (n:Note)
  SEARCH n IN (VECTOR INDEX note_embedding FOR $vector
    WHERE n.audience IN $audiences AND n.status IN $statuses AND n.expiresAt > $now
    LIMIT $limit) SCORE AS s
WITH n, 2 * s - 1 AS similarity ORDER BY similarity DESC, n.id
RETURN count(n) AS seen, collect(CASE WHEN n:Knowledge AND NOT EXISTS {
  (n)-[:PROMOTED_FROM]->(o:Note) WHERE o.status = 'ARCHIVED' AND o.archivedBy IS NULL
} THEN n {.id, .user, .content, .domain, .confidence, .verifiedBy, .sourceUser, .version,
  promotedFrom: [(n)-[:PROMOTED_FROM]->(o:Note) WHERE o.audience IN $own | o.id][0], similarity: similarity} END) AS rows
