// Reads the standard procedure of the first of these places, the longest domain first, that has one; of several owners' the first one's.
UNWIND $places AS place
MATCH (s:Sop {owner: place.owner, domain: place.domain})
RETURN s {.domain, .content, .version, updatedAt: s.updatedAt.epochMillis} AS sop
ORDER BY size(s.domain) DESC, place.rank
LIMIT 1
