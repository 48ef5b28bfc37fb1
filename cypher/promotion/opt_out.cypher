// Keeps a domain of a user out of promotion, or no longer does, and rejects what waits of it.
MATCH (u:User {id: $user})
SET u.touched = $now
REMOVE u.touched
WITH u, [out IN coalesce(u.promotionOptOuts, []) WHERE out <> $domain] AS others
WHERE NOT $out OR size(others) < $most
SET u.promotionOptOuts = others + CASE WHEN $out THEN [$domain] ELSE [] END
WITH u
CALL (u) {
  WITH u WHERE $out
  MATCH (p:Proposal {user: u.id, kind: 'PROMOTION'})-[:ABOUT]->(n:Note)
  WHERE p.status IN $open AND (n.domain = $domain OR n.domain STARTS WITH $domain + '/')
  SET p.status = 'REJECTED', p.consented = false, p.reason = $reason, p.version = p.version + 1
}
RETURN u {.id, .name, .defaultVisibility} AS user
