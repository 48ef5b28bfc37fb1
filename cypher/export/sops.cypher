// Reads the standard procedures of a user and their texts of before, from a place on (keyset).
MATCH (s:Sop {owner: $key}) USING INDEX SEEK s:Sop(owner, domain)
WHERE s.domain IS NOT NULL
MATCH (s)-[:HAD]->(r:Revision)
WITH s, r, s.domain + '|' + toString(100000000 + r.version) AS place
WHERE place > $after
WITH place, s, r ORDER BY place LIMIT $limit
RETURN place, r {.version, .at, .actor, .content, domain: s.domain} AS row
