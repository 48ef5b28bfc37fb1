// Reads everybody's nodes at some places of the store, whatever they are; for a backup.
UNWIND range($from, $to) AS place
MATCH (n)
WHERE elementId(n) = $prefix + toString(place)
RETURN collect([place, labels(n), properties(n)]) AS rows
