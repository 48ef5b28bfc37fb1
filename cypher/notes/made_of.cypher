// Finds the notes that jobs have made of notes, and of what was made of them: their texts hold texts of these.
UNWIND $ids AS id
MATCH (n:Note {id: id})
MATCH (n)((:Note)<-[d:DERIVED_FROM]-(:Note) WHERE d.by IS NOT NULL){1,10}(m:Note)
WHERE NOT m.id IN $ids
RETURN DISTINCT m.id AS id, m.audience AS audience
ORDER BY id LIMIT 1000
