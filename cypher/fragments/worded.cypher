// worded(n): a note that was found by its words and passes the gate and the filter of the question.
n.audience IN $audiences AND CASE WHEN $current AND n:Current THEN true ELSE n.status IN $statuses AND n.tier IN $tiers
  AND n.validFrom <= datetime($at) AND n.validTo > datetime($at) AND n.expiresAt > datetime($now) END
AND ($plain OR (n.kind IN $kinds AND n.type IN $types AND n.happenedAt >= datetime($since) AND n.happenedAt <= datetime($until) AND n.createdAt <= datetime($at)))
