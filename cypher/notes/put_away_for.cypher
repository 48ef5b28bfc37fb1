// Finds the notes that jobs have archived because others, which they made of these, told what they say.
UNWIND $ids AS id
MATCH (:Note {id: id})-[d:DERIVED_FROM]->(s:Note)
WHERE d.by IS NOT NULL AND s.status = 'ARCHIVED' AND s.archivedBy = d.by AND NOT s.id IN $ids
RETURN DISTINCT s.id AS id, s.user AS user, s.version AS version, s.audience AS audience, s.domain AS domain, s.status AS status
ORDER BY id LIMIT 5000
