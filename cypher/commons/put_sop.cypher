// Sets the standard procedure of a domain; each text stays as a revision.
MERGE (s:Sop {owner: $owner, domain: $domain})
  ON CREATE SET s.version = 0, s.createdAt = $now
SET s.content = $content, s.version = s.version + 1, s.updatedAt = $now
CREATE (s)-[:HAD]->(:Revision {version: s.version, at: $now, actor: $actor, content: $content, changes: '{"content": true}'})
RETURN s {.domain, .content, .version, updatedAt: s.updatedAt.epochMillis} AS sop
