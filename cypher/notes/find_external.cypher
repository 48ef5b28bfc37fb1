// Finds which of the given external ids, each with who gave it, a user's notes have, and what they say as far as their writer knows: where it may not read a note any more, what it wrote; null where it reads that the note was put away.
UNWIND $keys AS key
MATCH (n:Note {user: $user, externalKey: key}) USING INDEX SEEK n:Note(user, externalKey)
RETURN key, n.id AS id, n.expiresAt > $now AS live,
       CASE WHEN NOT n.audience IN $audiences THEN COLLECT { MATCH (n)-[:HAD]->(r:Revision {version: 1}) RETURN r.content LIMIT 1 }[0]
            WHEN n.status <> 'ARCHIVED' THEN n.content END AS says
LIMIT 1000
