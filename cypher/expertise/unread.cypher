// Reads those notes of a page whose topics are not those of their present version, and the id up to which the page goes.
MATCH (n:Note)
WHERE n.id > $after
WITH n ORDER BY n.id LIMIT $limit
WITH collect(n) AS page
RETURN page[-1].id AS last, COLLECT {
  UNWIND page AS n
  WITH n WHERE (n.topicsOf IS NULL OR n.topicsOf <> n.version) AND NOT n.visibility IN ['LOCAL', 'QUARANTINED']
  RETURN {
    id: n.id, version: n.version, audience: n.audience, domain: n.domain, tags: n.tags,
    names: COLLECT { MATCH (n)-[m:MENTIONS {given: true}]->(e:Entity) RETURN m.name ORDER BY e.id LIMIT 10 }
  }
} AS rows
