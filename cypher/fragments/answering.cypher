// answering(n): a note that may be in an answer: readable, of a status and a tier that count, valid at the time that is asked about.
n.audience IN $audiences AND CASE WHEN $current AND n:Current THEN true ELSE n.status IN $statuses AND n.tier IN $tiers AND n.expiresAt > datetime($now)
  AND n.createdAt <= datetime($at) AND n.validFrom <= datetime($at) AND n.validTo > datetime($at) END
