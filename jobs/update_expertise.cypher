// Keeps the index of topics by which experts are found: the entities that each new or changed note names, its tags and its domain.
// cron: 15 * * * *
// time zone: UTC
// The rows are the notes of a page whose topics are not those of their present version, and the id up to which the page goes; topics get their one key in Python. Until then such notes are found by their words and their meaning.
MATCH (n:Note)
WHERE n.id > $after
WITH n ORDER BY n.id LIMIT $limit
WITH collect(n) AS page
RETURN page[-1].id AS last, COLLECT {
  UNWIND page AS n
  WITH n WHERE (n.topicsOf IS NULL OR n.topicsOf <> n.version) AND n.visibility <> 'LOCAL'
  RETURN {
    id: n.id, version: n.version, audience: n.audience, domain: n.domain, tags: n.tags,
    names: COLLECT { MATCH (n)-[m:MENTIONS {given: true}]->(e:Entity) RETURN m.name ORDER BY e.id LIMIT 10 }
  }
} AS rows
