// Lists readable notes that pass a filter and were known at an instant, newest first, from a place on (keyset); each audience in the order of its index.
UNWIND $audiences AS audience
CALL (audience) {
  MATCH (n:Note {audience: audience})
  USING INDEX SEEK n:Note(audience, createdAt)
  WHERE n.createdAt <= $upTo AND n.expiresAt > $now
    AND n.status IN $statuses AND n.tier IN $tiers AND n.kind IN $kinds AND n.type IN $types
    AND n.happenedAt >= $since AND n.happenedAt <= $until
    AND ($tags IS NULL OR all(tag IN $tags WHERE tag IN n.tags))
    AND ($author IS NULL OR n.author = $author)
    AND ($episode IS NULL OR n.episode = $episode)
    AND ($externalPrefix IS NULL OR n.externalId STARTS WITH $externalPrefix)
    AND ($forgotten IS NULL OR (n.archivedBy IS NULL AND CASE WHEN n.forgottenAt > n.updatedAt THEN n.forgottenAt ELSE n.updatedAt END = $forgotten))
    AND (NOT $unforgotten OR n.status <> 'ARCHIVED' OR n.archivedBy IS NOT NULL)
    AND ($text IS NULL OR toLower(n.content) CONTAINS $text OR toLower(coalesce(n.title, '')) CONTAINS $text)
    AND ($entities IS NULL OR EXISTS {
      MATCH (n)-[m:MENTIONS]->(e:Entity) USING INDEX SEEK e:Entity(id)
      WHERE e.id IN $entities AND ((m.given AND (m.of IS NULL OR m.of IN $entities)) OR (NOT m.given
        AND EXISTS { (g:Note)-[i:MENTIONS {given: true}]->(e) WHERE (m.plain IS NULL OR NOT i.cased) AND g.audience IN $readable AND g.expiresAt > $now AND g.status IN $live }
        AND (m.within IS NULL OR NOT EXISTS { MATCH (g:Note)-[:MENTIONS {given: true}]->(w:Entity) USING INDEX SEEK w:Entity(id) WHERE w.id IN m.within AND g.audience IN $readable AND g.expiresAt > $now AND g.status IN $live })))
    })
    AND CASE n.createdAt WHEN $beforeAt THEN n.id < $beforeId ELSE true END
  RETURN n ORDER BY n.audience DESC, n.createdAt DESC, n.id DESC LIMIT $limit
}
WITH n ORDER BY n.createdAt DESC, n.id DESC LIMIT $limit
RETURN collect({id: n.id, at: n.createdAt.epochMillis, version: n.version, kept: coalesce(n.forgottenAt = $forgotten, false)}) AS rows
