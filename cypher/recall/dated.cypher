// Reads when notes happened, or were written where that is not told.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.audience IN $audiences
RETURN collect({id: n.id, at: n.happenedAt.epochMillis}) AS rows
