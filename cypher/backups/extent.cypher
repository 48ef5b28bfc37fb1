// Tells where the places of nodes and relationships in the store end, and what the ids of both begin with, to read all of them page by page; for a backup.
CALL () {
  MATCH (n)
  RETURN max(toInteger(split(elementId(n), ':')[2])) AS nodes, split(min(elementId(n)), ':')[1] AS store
}
CALL () {
  MATCH ()-[r]->()
  RETURN max(toInteger(split(elementId(r), ':')[2])) AS relationships
}
RETURN coalesce(nodes, -1) AS nodes, coalesce(relationships, -1) AS relationships, coalesce(store, '') AS store
