// Lists a user's handoffs that have not ended, of those of one agent where it is named, newest first; or some by id.
MATCH (h:Handoff {user: $user})
WHERE ($agent IS NULL OR h.receiver = $agent OR h.sender = $agent)
  AND CASE WHEN $ids IS NULL THEN h.endedAt IS NULL AND h.expiresAt > $now ELSE h.id IN $ids END
WITH h ORDER BY h.at DESC, h.id DESC LIMIT $limit
RETURN collect(h {.id, .user, .sender, .receiver, .summary, at: h.at.epochMillis, endedAt: h.endedAt.epochMillis}) AS rows
