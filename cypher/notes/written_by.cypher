// Finds the notes that an agent wrote, a page by id, expired ones too, and archived ones on request: for who runs the store, who is told no more of them than their number.
MATCH (:Agent {user: $user, id: $agent})-[:WROTE]->(n)
WHERE n.id > $after AND n.section IS NULL AND ($archived OR n.status <> 'ARCHIVED')
WITH n ORDER BY n.id LIMIT $limit
RETURN collect(n.id) AS rows
