// What happened during the last reflection?
MATCH (f:Reflection {user: $user})
WITH f ORDER BY f.number DESC LIMIT 1
OPTIONAL MATCH (f)-[:HAS_ITEM]->(i:ReflectionItem)
RETURN f.number AS number, f.status AS status, f.at AS at, collect(i.kind) AS kinds
