// Lists the notes of an audience that consolidation has chosen for core memory.
MATCH (:Audience {key: $audience})-[:TELLS]->(n:Note)
RETURN n.id AS id
ORDER BY id
