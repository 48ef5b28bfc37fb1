// leading(n): a note that may lead to others: readable, of a status that counts. One that is current has no end to compare with.
n.audience IN $audiences AND CASE WHEN $current AND n:Current THEN true ELSE n.expiresAt > datetime($now) AND n.status IN $statuses END
