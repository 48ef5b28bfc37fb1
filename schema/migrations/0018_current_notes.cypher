// Marks the notes that count as they are now and without an end, so that reads need look at no more of them than who may read them.
MATCH (n:Note)
WHERE NOT n:Current AND n.status = 'ACTIVE' AND n.tier <> 'LONG_TERM' AND n.validFrom <= datetime('0001-01-02T00:00:00Z') AND n.validTo >= datetime('9999-12-30T00:00:00Z') AND n.expiresAt >= datetime('9999-12-30T00:00:00Z')
CALL (n) {
  SET n:Current
} IN TRANSACTIONS OF 1000 ROWS;
