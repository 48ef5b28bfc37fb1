// Counts the notes of everybody that are there now.
MATCH (n:Note)
WHERE n.expiresAt > $now AND n.status IN ['ACTIVE', 'FADING', 'DORMANT']
RETURN count(n) AS notes
