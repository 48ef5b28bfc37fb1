// Reads the next audiences by key, and which of them have notes that changed, were used or came to an end since it was worked out who knows about what by them.
MATCH (a:Audience)
USING INDEX SEEK a:Audience(key)
WHERE a.key > $after
WITH a ORDER BY a.key LIMIT $limit
WITH collect(a) AS page
RETURN page[-1].key AS last, COLLECT {
  UNWIND page AS a
  WITH a
  WHERE CASE WHEN a.knownAt IS NULL THEN true ELSE EXISTS {
    MATCH (n:Note)
    USING INDEX SEEK n:Note(audience, createdAt)
    WHERE n.audience = a.key AND n.createdAt IS NOT NULL
      AND any(at IN [n.updatedAt, n.accessTimes[-1], n.helpedAt[-1], n.failedAt[-1], n.lastUsedAt] + [end IN [n.expiresAt, n.validTo] WHERE end <= $now] WHERE at > a.knownAt)
  } END
  RETURN a.key ORDER BY a.key
} AS keys
