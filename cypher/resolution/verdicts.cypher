// Reads which of some entities rules hold to be one, and since when, by what the viewer may read.
UNWIND $ids AS id
MATCH (e:Entity {id: id})-[s:SAME_AS]->(part:Entity)
WHERE e.user = $user AND s.audience IN $audiences
WITH e.id AS whole, part.id AS part, s.by AS by, max(s.score) AS score, min(s.at).epochMillis AS at
ORDER BY whole, part LIMIT $limit
RETURN collect({whole: whole, part: part, by: by, score: score, at: at}) AS rows
