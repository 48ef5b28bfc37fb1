// Lists everybody's names by id after an id, to make new keys under which they are looked up loosely.
MATCH (e:Entity)
WHERE e.id > $after
WITH e ORDER BY e.id LIMIT $limit
RETURN collect([e.id, e.key]) AS rows
