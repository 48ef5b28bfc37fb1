// searched(n): what a search in a vector index goes by while it searches, of a note or of a passage: the gate, the filter of the question and the times.
n.audience IN $audiences AND n.status IN $statuses AND n.tier IN $tiers AND n.kind IN $kinds
  AND n.type IN $types AND n.happenedAt >= datetime($since) AND n.happenedAt <= datetime($until) AND n.createdAt <= datetime($at)
  AND n.validFrom <= datetime($at) AND n.validTo > datetime($at) AND n.expiresAt > datetime($now)
