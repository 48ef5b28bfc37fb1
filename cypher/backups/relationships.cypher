// Reads everybody's relationships at some places of the store, with the places of their ends and each property as `nodes` gives it; for a backup.
UNWIND range($from, $to) AS place
MATCH (a)-[r]->(b)
WHERE elementId(r) = $prefix + toString(place)
RETURN collect([toInteger(split(elementId(a), ':')[2]), toInteger(split(elementId(b), ':')[2]), type(r), [key IN keys(r) | CASE
  WHEN r[key] IS :: ZONED DATETIME NOT NULL AND r[key].timezone = 'Z' THEN [key, r[key].epochSeconds, r[key].nanosecond]
  ELSE [key, r[key]] END]]) AS rows
