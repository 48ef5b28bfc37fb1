// Finds the paths of the shortest lengths between two entities, each by any of its names, over readable notes and relations, with $at what was known and true then; in an order that only what is on them decides. A name is known since a readable note has introduced it; the time of a mention that was only found in a text tells nothing, as it may come from another note.
MATCH (a:Entity)
WHERE a.id IN $from AND a.user = $user
  AND ($at IS NULL OR EXISTS { (g:Note)-[i:MENTIONS {given: true}]->(a) WHERE i.at <= $at AND @readable(g) AND g.status IN $statuses })
MATCH (b:Entity)
WHERE b.id IN $to AND b.user = $user
CALL (a, b) {
  MATCH p = SHORTEST $lengths GROUPS (a)
    ((x)-[r:MENTIONS|RELATES_TO|LINKS_TO]-(y)
      WHERE ((y:Entity AND EXISTS { (g:Note)-[i:MENTIONS {given: true}]->(y) WHERE ($at IS NULL OR i.at <= $at) AND @readable(g) AND g.status IN $statuses }) OR (@readable(y) AND y.status IN $statuses AND ($at IS NULL OR (y.createdAt <= $at AND y.validFrom <= $at AND y.validTo > $at))))
        AND ($at IS NULL OR r.at IS NULL OR r.given = false OR r.at <= $at)
        AND (r.noteId IS NULL OR (@readable(r) AND r.status IN $statuses
          AND ($at IS NULL OR (r.createdAt <= $at AND coalesce(r.validFrom, $at) <= $at AND (r.validTo IS NULL OR r.validTo > $at)))))
        AND (r.plain IS NULL OR EXISTS { (gx:Note)-[ix:MENTIONS {given: true}]->(x) WHERE NOT ix.cased AND @readable(gx) AND gx.status IN $statuses } OR EXISTS { (gy:Note)-[iy:MENTIONS {given: true}]->(y) WHERE NOT iy.cased AND @readable(gy) AND gy.status IN $statuses })
        AND (r.within IS NULL OR NOT EXISTS { (gw:Note)-[:MENTIONS {given: true}]->(w:Entity) WHERE w.id IN r.within AND @readable(gw) AND gw.status IN $statuses })
    ){1,6} (b)
  WHERE length(p) <= $maxHops
  RETURN p
}
WITH p, [x IN nodes(p) | coalesce(x.key, toString(x.createdAt.epochMillis) + x.content)] AS told
ORDER BY length(p), told, [x IN relationships(p) | coalesce(x.predicate, type(x))], [x IN nodes(p) | x.id]
WITH DISTINCT [x IN nodes(p) | [x.id, CASE WHEN x:Entity THEN 'entity' ELSE 'note' END, CASE WHEN x:Entity THEN null ELSE coalesce(x.title, left(x.content, 80)) END]] AS nodes,
       [x IN relationships(p) | CASE WHEN x.predicate IS NOT NULL THEN x.predicate WHEN x.kind IS NOT NULL AND all(then IN [x.sourceThen, x.targetThen] WHERE then IS NULL OR then IN $audiences) THEN x.kind WHEN x.kind IS NOT NULL THEN 'linked' ELSE type(x) END] AS relationships
RETURN nodes, relationships
LIMIT $first
