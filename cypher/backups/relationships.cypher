// Reads everybody's relationships at some places of the store, with the places of their ends and each property as `nodes` gives it; for a backup.
UNWIND range($from, $to) AS place
MATCH (a)-[r]->(b)
WHERE elementId(r) = $prefix + toString(place)
WITH elementId(a) AS a, elementId(b) AS b, type(r) AS type, properties(r) AS p
RETURN collect([toInteger(split(a, ':')[2]), toInteger(split(b, ':')[2]), type, [key IN keys(p) | CASE
  WHEN p[key] IS :: ZONED DATETIME NOT NULL AND p[key].timezone = 'Z' THEN [key, p[key].epochSeconds, p[key].nanosecond]
  ELSE [key, p[key]] END]]) AS rows
