// Finds the live notes of short-term memory that a job made of the topics of an audience, the newest of each.
UNWIND $keys AS key
MATCH (n:Note {user: $user, titleKey: key}) USING INDEX SEEK n:Note(user, titleKey)
WHERE n.audience = $audience AND n.tier = 'SHORT_TERM' AND n.status IN ['ACTIVE', 'FADING', 'DORMANT'] AND n.expiresAt > $now AND n.validTo > $now
  AND EXISTS { (n)-[d:DERIVED_FROM]->(:Note) WHERE d.by = $maker }
WITH key, n ORDER BY n.id DESC
RETURN key, collect(n.id)[0] AS id
