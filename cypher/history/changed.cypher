// Finds the readable notes of a user that have changed since an instant, by their ids; skills, knowledge and what is local to a session have a history of their own.
UNWIND $audiences AS audience
MATCH (n:Note {audience: audience})
USING INDEX SEEK n:Note(audience, createdAt)
WHERE n.createdAt IS NOT NULL AND n.expiresAt > $now AND n.user = $user AND n.updatedAt > $at
  AND NOT n.visibility IN ['LOCAL', 'QUARANTINED'] AND NOT n:Skill AND NOT n:Knowledge
WITH n.id AS id ORDER BY id LIMIT $limit
RETURN collect(id) AS ids
