// Reads which version the standard procedure of a domain has, who set that, and how many procedures its owner has.
OPTIONAL MATCH (s:Sop {owner: $owner, domain: $domain})
RETURN coalesce(s.version, 0) AS version, COLLECT {
  MATCH (s)-[:HAD]->(r:Revision)
  RETURN r.actor ORDER BY r.version DESC LIMIT 1
}[0] AS actor, COUNT {
  MATCH (e:Sop {owner: $owner})
  USING INDEX SEEK e:Sop(owner, domain)
  WHERE e.domain IS NOT NULL
} AS sops
