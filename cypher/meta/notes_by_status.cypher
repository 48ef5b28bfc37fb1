// Counts everybody's notes by status, and those that wait for an LLM, up to $most; for whoever runs the service.
CALL () {
  MATCH (n:Note)
  USING INDEX SEEK n:Note(user, status)
  WHERE n.user >= '' AND n.status IS NOT NULL
  WITH n.status AS status, count(*) AS notes ORDER BY status
  RETURN collect([status, notes]) AS statuses
}
CALL () {
  MATCH (n:Note)
  USING INDEX SEEK n:Note(user, refineAt)
  WHERE n.user >= '' AND n.refineAt IS NOT NULL
  WITH n LIMIT $most
  RETURN count(*) AS waiting
}
RETURN statuses, waiting
