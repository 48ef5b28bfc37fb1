// Finds the newest notes about topics, by the index of topics, the gate inside; each with its topic.
UNWIND $topics AS topic
CALL (topic) {
  UNWIND $audiences AS audience
  MATCH (n:Note)-[a:ABOUT {topic: topic, audience: audience}]->()
  WHERE a.at IS NOT NULL AND n.audience = audience AND a.version = n.version
    AND n.status IN $statuses AND n.validTo > datetime($now) AND n.expiresAt > datetime($now)
  RETURN n.id AS id ORDER BY a.at DESC, n.id LIMIT $limit
}
RETURN collect([id, topic]) AS rows
