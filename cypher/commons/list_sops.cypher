// Lists the standard procedures of an owner as they hold now, by domain, from a domain on (keyset).
MATCH (s:Sop {owner: $owner})
USING INDEX SEEK s:Sop(owner, domain)
WHERE s.domain > $after
WITH s ORDER BY s.owner, s.domain LIMIT $limit
RETURN collect(s {.domain, .content, .version, updatedAt: s.updatedAt.epochMillis}) AS rows
