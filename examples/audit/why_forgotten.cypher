// Why did you forget about X? The change of the status tells who did it, when, and the reason.
MATCH (n:Note {user: $user})-[:HAD]->(r:Revision)
WHERE n.status IN ['ARCHIVED', 'SUPERSEDED'] AND toLower(n.content) CONTAINS toLower($about)
  AND r.changes CONTAINS '"status"'
OPTIONAL MATCH (n)<-[:SUPERSEDES]-(other:Note)
RETURN n.content AS note, n.status AS status, r.at AS at, r.actor AS actor, r.changes AS changes, other.content AS supersededBy
ORDER BY at DESC LIMIT 100
