// Reads the standard procedure of the first of these domains, the longest first, that has one.
UNWIND $domains AS domain
MATCH (s:Sop {owner: $owner, domain: domain})
RETURN s {.domain, .content, .version, updatedAt: s.updatedAt.epochMillis} AS sop
ORDER BY size(domain) DESC
LIMIT 1
