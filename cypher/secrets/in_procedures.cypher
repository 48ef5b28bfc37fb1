// Reads the standard procedures of an owner that were set since a time, each with its versions, after a place by domain and version, for a search for secrets; a page by place. Texts are read of the page alone.
MATCH (s:Sop {owner: $owner})
WHERE s.domain IS NOT NULL AND s.updatedAt >= $since
CALL (s) {
  RETURN s AS holder, null AS version
  UNION ALL
  MATCH (s)-[:HAD]->(r:Revision)
  RETURN r AS holder, r.version AS version
}
WITH s.domain + '\n' + CASE WHEN version IS NULL THEN '' ELSE right('000000000' + toString(version), 10) END AS place, s, holder, version
WHERE place > $after
WITH place, s, holder, version ORDER BY place LIMIT $limit
RETURN place, s.domain AS id, {content: holder.content} AS texts, {version: version} AS about
