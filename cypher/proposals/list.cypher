// Lists readable proposals of a user and, once their owners consented, of teams, newest first, perhaps some by id. Who reads one is who would read its note: once it is one who reads that, of a promotion who reads the note that it is about, and the team only while its owner consents, is in it and leaves the note open, or once the team knows it and the note is not put away. What a team has had since in another version is told to whose it was and to who decides for the team alone. A proposed version is read by its agent, too. It is in conflict as far as those that contradict it are readable, too.
CALL () {
  MATCH (p:Proposal {user: $user})
  RETURN p
  UNION
  UNWIND $teams AS team
  MATCH (p:Proposal {team: team})
  WHERE CASE p.kind WHEN 'REVISION' THEN true ELSE p.consented END
  RETURN p
}
WITH p WHERE p.expiresAt > $now AND ($ids IS NULL OR p.id IN $ids)
OPTIONAL MATCH (p)-[:BECAME]->(n:Note)
OPTIONAL MATCH (p)-[:ABOUT]->(source:Note)
OPTIONAL MATCH (p)-[:RENEWS]->(old:Note)
WITH p, n, source, old,
  p.kind <> 'PROMOTION' OR (p.consented AND NOT (source.status = 'ARCHIVED' AND source.archivedBy IS NULL) AND (
    p.status = 'COMMITTED' OR (source.visibility IN $promotable
      AND EXISTS { (:User {id: p.user})-[:MEMBER_OF]->(:Team {id: p.team}) }))) AS told
WHERE p.kind <> 'REVISION' OR old.expiresAt > $now AND NOT EXISTS {
  (old)-[:PROMOTED_FROM]->(o:Note) WHERE o.status = 'ARCHIVED' AND o.archivedBy IS NULL
}
WITH p, n, source, old,
  CASE WHEN NOT told THEN source.audience WHEN p.status = 'COMMITTED' THEN n.audience ELSE p.audience END AS audience
WHERE (audience IN $audiences OR p.kind = 'REVISION' AND p.user = $user AND p.author = $agent AND audience IN $shared)
  AND (n IS NULL OR n.expiresAt > $now)
WITH p, n, source, old, COLLECT {
  MATCH (p)-[:CONTRADICTS]-(o:Proposal)
  WHERE o.audience IN $audiences AND o.status IN $open AND o.expiresAt > $now
  RETURN o.id ORDER BY o.createdAt, o.id LIMIT 100
} AS conflicts
WITH p, n, source, old, conflicts, CASE WHEN p.status = 'PENDING' AND size(conflicts) > 0 THEN 'CONFLICT' ELSE p.status END AS status
WHERE $statuses IS NULL OR status IN $statuses
WITH p, n, source, old, conflicts, status ORDER BY p.createdAt DESC, p.id DESC LIMIT $limit
WITH p, n, source, old, conflicts, status, p.team IS NULL OR n IS NULL OR coalesce(p.becameVersion, 1) = n.version AS present
WITH p, n, source, old, conflicts, status, present, present OR p.user = $user OR $decides OR $agent = '' AND COLLECT {
  MATCH (:Team {id: p.team})<-[m:MEMBER_OF]-(u:User)
  RETURN u.id ORDER BY m.place LIMIT 1
}[0] = $user AS whole
RETURN collect(p {.id, .user, .author, .kind, .version, .domain, .noteKind, .source, .confidence, .reason, .draft, .mode, .team, .consented, .base,
  status: status, conflicts: conflicts, createdAt: p.createdAt.epochMillis, expiresAt: p.expiresAt.epochMillis,
  audience: p.audience, .coreWorthy,
  content: CASE WHEN n IS NULL THEN p.content WHEN present THEN n.content WHEN whole THEN COLLECT {
    MATCH (n)-[:HAD]->(r:Revision {version: coalesce(p.becameVersion, 1)}) RETURN r.content LIMIT 1 }[0] END,
  title: CASE WHEN n IS NOT NULL THEN n.title ELSE p.title END,
  trigger: CASE WHEN whole THEN p.trigger END,
  tags: CASE WHEN p.kind = 'REVISION' OR n IS NULL THEN p.tags ELSE n.tags END,
  entities: p.entities, note: CASE WHEN source.audience IN $audiences THEN source.id END, result: n.id, renews: old.id}) AS rows
