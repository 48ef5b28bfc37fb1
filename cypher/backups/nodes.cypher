// Reads everybody's nodes at some places of the store, whatever they are, each property as a pair; for a backup. Instants in UTC come as their seconds and nanoseconds, since the driver takes 0.1 ms to make an instant of what it gets. All properties are taken at once, since each n[key] would read the store again.
UNWIND range($from, $to) AS place
MATCH (n)
WHERE elementId(n) = $prefix + toString(place)
WITH place, labels(n) AS labels, properties(n) AS p
RETURN collect([place, labels, [key IN keys(p) | CASE
  WHEN p[key] IS :: ZONED DATETIME NOT NULL AND p[key].timezone = 'Z' THEN [key, p[key].epochSeconds, p[key].nanosecond]
  ELSE [key, p[key]] END]]) AS rows
