// What did a user's last reflection propose, about which notes, and was it accepted?
// :param {user: 'me'}
MATCH (f:Reflection {user: $user})
WITH f ORDER BY f.at DESC LIMIT 1
MATCH (f)-[of:HAS_ITEM]->(i:ReflectionItem)
OPTIONAL MATCH (i)-[:ABOUT]->(n:Note)
WITH f, of, i, collect(coalesce(n.title, left(n.content, 80)))[..5] AS notes
RETURN f.number AS number, f.at AS at, f.status AS status, i.kind AS kind, i.accepted AS accepted, notes
ORDER BY of.place
LIMIT 500
