// Proposes to the owners of notes that many agents use, and the like of which another member shares with the team, that the team knows them.
// cron: 0 4 * * sun
// time zone: UTC
// The rows are a page of users in teams with notes that pass all but the look at activation, which follows in Python, as the proposals do. Notes of other members count as far as they shared them with the team.
MATCH (u:User)
USING INDEX SEEK u:User(id)
WHERE u.id > $after AND EXISTS { (u)-[:MEMBER_OF]->(:Team) }
WITH u ORDER BY u.id LIMIT $limit
RETURN u.id AS user, COLLECT {
  MATCH (u)-[:MEMBER_OF]->(t:Team)
  MATCH (n:Note {user: u.id})
  USING INDEX SEEK n:Note(user, status)
  WHERE n.status = 'ACTIVE' AND n.visibility IN $visibilities AND n.expiresAt > $now AND n.accessCount > 0
    AND none(out IN coalesce(u.promotionOptOuts, []) WHERE n.domain = out OR n.domain STARTS WITH out + '/')
    AND COUNT { MATCH (r:Recall)-[:RETURNED]->(n) WHERE r.agent IS NOT NULL RETURN DISTINCT r.agent } >= $agents
    AND NOT EXISTS { (:Proposal {team: t.id})-[:ABOUT]->(n) }
    AND NOT EXISTS { (k:Note)-[:PROMOTED_FROM]->(n) WHERE k.user = 't:' + t.id }
  WITH u, t, n ORDER BY n.accessCount DESC, n.id LIMIT $most
  CALL (u, t) {
    MATCH (other:User)-[s:SHARES]->(t)
    WHERE other <> u AND coalesce(s.until > $now, true)
    MATCH (a:Audience {owner: other.id})
    WHERE a.visibility IN $visibilities AND (a.domain = s.domain OR a.domain STARTS WITH s.domain + '/')
    RETURN collect(DISTINCT a.key) AS shared
  }
  CALL (n, shared) {
    MATCH (m:Note)
      SEARCH m IN (VECTOR INDEX note_embedding FOR n.embedding
        WHERE m.audience IN shared AND m.status IN $statuses AND m.expiresAt > $now
        LIMIT 1) SCORE AS s
    RETURN 2 * s - 1 AS likeness
  }
  WITH t, n, likeness WHERE likeness >= $alike
  RETURN [t.id, n.id, n.audience]
} AS notes
ORDER BY user
