// Lists readable skills with what ranks them, those nearest to a question first where there is one; what was made of a note that its owner has put away is not told.
UNWIND $audiences AS audience
MATCH (n:Skill {audience: audience})
WHERE n.expiresAt > $now AND n.status IN $statuses AND ($tags IS NULL OR all(tag IN $tags WHERE tag IN n.tags))
  AND NOT EXISTS {
  (n)-[:PROMOTED_FROM]->(o:Note) WHERE o.status = 'ARCHIVED' AND o.archivedBy IS NULL
}
WITH n, coalesce(2 * vector.similarity.cosine(n.embedding, $vector) - 1, 0.0) AS similarity
ORDER BY similarity DESC, n.successCount DESC, n.id
LIMIT $limit
RETURN collect(n {.id, .title, .trigger, .tags, .successCount, .failureCount, .usedBy,
  content: left(n.content, 4000), similarity: similarity}) AS rows
