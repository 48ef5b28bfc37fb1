// Finds the notes that are lent to an agent for tasks that have not ended, nearest to a question first where there is one: those that it reads, and beyond its domains those that are open enough.
MATCH (h:Handoff)-[:TO]->(:Agent {user: $user, id: $agent})
WHERE h.endedAt IS NULL AND h.expiresAt > $now AND ($handoffs IS NULL OR h.id IN $handoffs)
MATCH (h)-[l:LENDS]->(n:Note)
WHERE (n.audience IN $audiences OR n.visibility IN $lent) AND n.expiresAt > $now AND n.status IN $statuses
  AND ($ids IS NULL OR n.id IN $ids)
WITH h, l, n, coalesce(2 * vector.similarity.cosine(n.embedding, $vector) - 1, 0.0) AS similarity
ORDER BY similarity DESC, h.at DESC, l.place, n.id
LIMIT $limit
RETURN collect({handoff: h.id, note: n.id, audience: n.audience, similarity: similarity}) AS rows
