// Lists readable proposals of a user and, once their owners consented, of teams, newest first, perhaps some by id. Who reads one is who would read its note: once it is one who reads that, of a promotion who reads the note that it is about, and the team only while its owner consents, is in it and leaves the note open, or once the team knows it and the note is not put away. It is in conflict as far as those that contradict it are readable, too.
CALL () {
  MATCH (p:Proposal {user: $user})
  RETURN p
  UNION
  UNWIND $teams AS team
  MATCH (p:Proposal {team: team})
  WHERE p.consented
  RETURN p
}
WITH p WHERE p.expiresAt > $now AND ($ids IS NULL OR p.id IN $ids)
OPTIONAL MATCH (p)-[:BECAME]->(n:Note)
OPTIONAL MATCH (p)-[:ABOUT]->(source:Note)
WITH p, n, source,
  p.kind <> 'PROMOTION' OR (p.consented AND NOT (source.status = 'ARCHIVED' AND source.archivedBy IS NULL) AND (
    p.status = 'COMMITTED' OR (source.visibility IN $promotable
      AND EXISTS { (:User {id: p.user})-[:MEMBER_OF]->(:Team {id: p.team}) }))) AS told
WITH p, n, source,
  CASE WHEN NOT told THEN source.audience WHEN p.status = 'COMMITTED' THEN n.audience ELSE p.audience END AS audience
WHERE audience IN $audiences AND (n IS NULL OR n.expiresAt > $now)
WITH p, n, source, COLLECT {
  MATCH (p)-[:CONTRADICTS]-(o:Proposal)
  WHERE o.audience IN $audiences AND o.status IN $open AND o.expiresAt > $now
  RETURN o.id ORDER BY o.createdAt, o.id LIMIT 100
} AS conflicts
WITH p, n, source, conflicts, CASE WHEN p.status = 'PENDING' AND size(conflicts) > 0 THEN 'CONFLICT' ELSE p.status END AS status
WHERE $statuses IS NULL OR status IN $statuses
WITH p, n, source, conflicts, status ORDER BY p.createdAt DESC, p.id DESC LIMIT $limit
RETURN collect(p {.id, .user, .author, .kind, .version, .domain, .noteKind, .source, .confidence, .reason, .draft, .mode, .team, .consented,
  status: status, conflicts: conflicts, createdAt: p.createdAt.epochMillis, expiresAt: p.expiresAt.epochMillis,
  audience: p.audience, .coreWorthy,
  content: CASE WHEN n IS NOT NULL THEN n.content ELSE p.content END,
  title: CASE WHEN n IS NOT NULL THEN n.title ELSE p.title END,
  tags: CASE WHEN n IS NOT NULL THEN n.tags ELSE p.tags END,
  entities: p.entities, note: CASE WHEN source.audience IN $audiences THEN source.id END, result: n.id}) AS rows
