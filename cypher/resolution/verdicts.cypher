// Reads which entities, or which of some, rules hold to be one, and since when, by what the viewer may read, those first that are merged first.
MATCH (e:Entity)-[s:SAME_AS]->(part:Entity)
USING INDEX SEEK s:SAME_AS(audience)
WHERE s.audience IN $audiences AND e.user = $user AND CASE WHEN $ids IS NULL THEN true ELSE e.id IN $ids END
WITH e.id AS whole, part.id AS part, s.by AS by, max(s.score) AS score, min(s.at).epochMillis AS at
ORDER BY at, whole, part LIMIT $limit
RETURN collect({whole: whole, part: part, by: by, score: score, at: at}) AS rows
