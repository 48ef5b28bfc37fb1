// Waits until every index can be used.
CALL db.awaitIndexes($seconds)
