// Lists the notes that rules hold to be copies of others, newest verdict first, as far as the viewer may read both; or those of one pair, where $ids are given.
MATCH (copy:Note)-[c:COPY_OF]->(n:Note)
USING INDEX SEEK c:COPY_OF(audience)
WHERE c.audience IN $audiences AND CASE WHEN $ids IS NULL THEN true ELSE copy.id IN $ids AND n.id IN $ids END
  AND @readable(n) AND @readable(copy) AND n.user = $user AND all(x IN [n, copy] WHERE x.status IN $statuses)
WITH copy.id AS copy, n.id AS note, c.cosine AS cosine, c.rule AS rule, c.at AS at
ORDER BY at DESC, copy, note LIMIT $limit
RETURN collect({copy: copy, note: note, cosine: cosine, rule: rule, at: at.epochMillis}) AS rows
