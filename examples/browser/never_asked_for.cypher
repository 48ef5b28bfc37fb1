// Which notes did nobody ever ask for? The oldest ones that no recall has returned.
:param user => 'mara';
MATCH (n:Note {user: $user})
WHERE n.status IN ['ACTIVE', 'FADING', 'DORMANT'] AND n.accessCount = 0 AND NOT EXISTS { (:Recall)-[:RETURNED]->(n) }
RETURN n.createdAt AS at, n.title AS title, left(n.content, 80) AS text, n.domain AS domain, n.status AS status, n.importance AS importance
ORDER BY at LIMIT 100;
