// Tells if the store is empty but for what the start of a service leaves, and if a restore was broken off in it.
CALL () {
  OPTIONAL MATCH (n)
  WHERE NOT n:Migration AND NOT n:JobLease AND NOT n:JobRun AND NOT n:Meta AND NOT n:Stream
  WITH n LIMIT 1
  RETURN n IS NOT NULL AS used
}
OPTIONAL MATCH (m:Meta {name: 'restore'})
RETURN used, m IS NOT NULL AS half
LIMIT 1
