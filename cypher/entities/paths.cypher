// Finds the shortest paths between two entities over readable notes and relations.
MATCH (a:Entity {id: $from, user: $user})
MATCH (b:Entity {id: $to, user: $user})
MATCH p = SHORTEST $first (a)
  (()-[r:MENTIONS|RELATES_TO|LINKS_TO]-(y)
    WHERE ((y:Entity AND EXISTS { (g:Note)-[:MENTIONS {given: true}]->(y) WHERE g.audience IN $audiences AND g.expiresAt > $now AND g.status IN $statuses }) OR (y.audience IN $audiences AND y.expiresAt > $now AND y.status IN $statuses))
      AND (r.noteId IS NULL OR (r.audience IN $audiences AND r.expiresAt > $now AND r.status IN $statuses))
  ){1,6} (b)
WHERE length(p) <= $maxHops
RETURN DISTINCT [x IN nodes(p) | [x.id, CASE WHEN x:Entity THEN 'entity' ELSE 'note' END, CASE WHEN x:Entity THEN null ELSE coalesce(x.title, left(x.content, 80)) END]] AS nodes,
       [x IN relationships(p) | CASE WHEN x.predicate IS NOT NULL THEN x.predicate WHEN x.kind IS NOT NULL THEN x.kind ELSE type(x) END] AS relationships
