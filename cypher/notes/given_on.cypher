// Reads what notes gave to others: who took a tag of theirs by a link, straight or from one that had taken it before, what the revisions tell of tags and context, and links of those that name the tag as their reason.
// coalesce keeps the planner from an index: in a small graph it would read all notes of $ids first and follow links then.
UNWIND $ids AS id
MATCH (n:Note {id: id})-[first:LINKS_TO]->(next:Note)
WHERE first.gave IS NOT NULL
WITH first.gave AS gave, next
MATCH (next)((:Note)-[r:LINKS_TO]->(:Note) WHERE r.gave = gave){0,10}(m:Note)
WHERE NOT m.id IN $ids
WITH m, collect(DISTINCT gave) AS gave
RETURN m.id AS id, m.version AS version, m.audience AS audience, m.domain AS domain, gave,
  COUNT { MATCH (n:Note)-[r:LINKS_TO]->(m) WHERE coalesce(n.id, '') IN $ids AND r.gave IS NOT NULL } AS straight,
  m.tags AS tags, coalesce(m.givenTags, []) AS givenTags, coalesce(m.lentTags, []) AS lentTags, m.context AS context,
  COLLECT {
    MATCH (m)-[:HAD]->(v:Revision)
    WHERE v.changes CONTAINS '"tags"' OR v.changes CONTAINS '"context"'
    RETURN {version: v.version, changes: v.changes} ORDER BY v.version LIMIT 1000
  } AS revisions,
  COLLECT {
    MATCH (m)-[l:LINKS_TO]-(:Note)
    WHERE l.gave IN gave OR (l.reason CONTAINS 'both are about ' AND any(tag IN gave WHERE toLower(l.reason) CONTAINS toLower(tag)))
    RETURN l.id ORDER BY l.id LIMIT 1000
  } AS links
ORDER BY id LIMIT 1000
