// Reads the open proposals of notes for the same readers, the newest with their texts and how near they are to a new one; how many there are; and what the same request proposed before.
RETURN COUNT {
  MATCH (p:Proposal {audience: $audience, kind: 'WRITE'})
  WHERE p.status IN $open AND p.expiresAt > $now
} AS known,
COLLECT {
  MATCH (p:Proposal {audience: $audience, kind: 'WRITE'})
  WHERE p.status IN $open AND p.expiresAt > $now
  RETURN {id: p.id, content: p.content, title: p.title,
    similarity: coalesce(2 * vector.similarity.cosine(p.embedding, $vector) - 1, 0.0)}
  ORDER BY p.createdAt DESC, p.id DESC LIMIT $most
} AS others,
COLLECT {
  MATCH (p:Proposal {user: $user, requestKey: $requestKey}) USING INDEX SEEK p:Proposal(user, requestKey)
  WHERE p.expiresAt > $now
  RETURN {id: p.id, requestHash: p.requestHash} LIMIT 1
} AS before
