// Reflects where a long session has ended, as its agent, and where many episodes have come since a user's last reflection.
// cron: */5 * * * *
// time zone: UTC
// The rows are a page of users with the ended long sessions that nobody has reflected on, and the number of new episodes up to the threshold; the reflections are made in Python.
MATCH (u:User)
WHERE u.id > $after
WITH u ORDER BY u.id LIMIT $limit
WITH u, coalesce(COLLECT {
  MATCH (r:Reflection {user: u.id, maker: $maker})
  USING INDEX SEEK r:Reflection(user)
  RETURN max(r.at)
}[0], datetime({epochMillis: 0})) AS last
CALL (u, last) {
  MATCH (a:Audience {owner: u.id})
  CALL (a, last) {
    MATCH (n:Note {audience: a.key})
    USING INDEX SEEK n:Note(audience, createdAt)
    WHERE n.createdAt > last AND n.kind = 'EPISODIC' AND n.tier <> 'WORKING'
    RETURN n LIMIT $threshold
  }
  WITH n LIMIT $threshold
  RETURN count(n) AS episodes
}
RETURN u.id AS user, episodes, COLLECT {
  MATCH (a:Agent {user: u.id})-[:HAS_SESSION]->(s:Session)
  USING INDEX SEEK a:Agent(user, id)
  WHERE a.id IS NOT NULL AND s.closedAt > $since AND s.reflectedAt IS NULL AND COUNT { (s)-[:PROMOTED]->() } + s.dropped >= $least
  RETURN {id: s.id, agent: s.agent} ORDER BY s.closedAt LIMIT 100
} AS sessions
ORDER BY user
