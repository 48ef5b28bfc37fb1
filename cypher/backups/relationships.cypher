// Reads everybody's relationships at some places of the store, with the places of their ends; for a backup.
UNWIND range($from, $to) AS place
MATCH (a)-[r]->(b)
WHERE elementId(r) = $prefix + toString(place)
RETURN collect([toInteger(split(elementId(a), ':')[2]), toInteger(split(elementId(b), ':')[2]), type(r), properties(r)]) AS rows
