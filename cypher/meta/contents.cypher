// Counts the nodes of each label, of everybody, with the relationships, and tells the state of each index; for whoever runs the service.
CALL () {
  CALL db.labels() YIELD label
  CALL (label) {
    MATCH (n:$(label))
    RETURN count(n) AS nodes
  }
  WITH label, nodes WHERE nodes > 0
  RETURN collect([label, nodes]) AS labels
}
CALL () {
  SHOW INDEXES YIELD name, type, state, populationPercent
  WITH * ORDER BY name
  RETURN collect([name, type, state, populationPercent]) AS indexes
}
RETURN labels, indexes, COUNT { ()-->() } AS relationships
