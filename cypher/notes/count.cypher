// Counts readable notes that pass a filter.
UNWIND $audiences AS audience
CALL (audience) {
  MATCH (n:Note {audience: audience})
  USING INDEX SEEK n:Note(audience, createdAt)
  WHERE n.createdAt IS NOT NULL AND n.expiresAt > $now
    AND n.status IN $statuses AND n.tier IN $tiers AND n.kind IN $kinds AND n.type IN $types
    AND n.happenedAt >= $since AND n.happenedAt <= $until
    AND ($tags IS NULL OR all(tag IN $tags WHERE tag IN n.tags))
    AND ($author IS NULL OR n.author = $author)
    AND ($episode IS NULL OR n.episode = $episode)
    AND ($text IS NULL OR toLower(n.content) CONTAINS $text OR toLower(coalesce(n.title, '')) CONTAINS $text)
    AND ($entity IS NULL OR EXISTS { (n)-[m:MENTIONS]->(e:Entity {user: $user}) WHERE e.id = $entity OR $entityKey IN m.keys })
  RETURN count(n) AS notes
}
RETURN sum(notes) AS total
