// Sets the standard procedure of a domain; each text stays as a revision. A row comes only if it still has the version that was read, and a new one while its owner has fewer than $most.
OPTIONAL MATCH (had:Sop {owner: $owner, domain: $domain})
WITH had
WHERE had IS NOT NULL OR COUNT { MATCH (e:Sop {owner: $owner}) USING INDEX SEEK e:Sop(owner, domain) WHERE e.domain IS NOT NULL } < $most
MERGE (s:Sop {owner: $owner, domain: $domain})
  ON CREATE SET s.version = 0, s.createdAt = $now
SET s.touched = $now
REMOVE s.touched
WITH s
WHERE s.version = $version
SET s.content = $content, s.version = s.version + 1, s.updatedAt = $now
CREATE (s)-[:HAD]->(:Revision:System {version: s.version, at: $now, actor: $actor, content: $content, changes: '{"content": true}'})
RETURN s {.domain, .content, .version, updatedAt: s.updatedAt.epochMillis} AS sop
