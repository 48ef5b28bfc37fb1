// Reads everybody's nodes at some places of the store, whatever they are, each property as a pair; for a backup. Instants in UTC come as their seconds and nanoseconds, since the driver takes 0.1 ms to make an instant of what it gets.
UNWIND range($from, $to) AS place
MATCH (n)
WHERE elementId(n) = $prefix + toString(place)
RETURN collect([place, labels(n), [key IN keys(n) | CASE
  WHEN n[key] IS :: ZONED DATETIME NOT NULL AND n[key].timezone = 'Z' THEN [key, n[key].epochSeconds, n[key].nanosecond]
  ELSE [key, n[key]] END]]) AS rows
