// Tells which recalls are in the log.
UNWIND $ids AS id
MATCH (r:Recall {id: id})
RETURN collect(r.id) AS ids
