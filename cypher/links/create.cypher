// Links two notes once for each kind; both are locked in the order of their ids. The reason of one that was made for other readers is not told.
MATCH (s:Note {id: $source}) WHERE s.user = $user
MATCH (t:Note {id: $target}) WHERE t.user = $user
MERGE (s)-[r:LINKS_TO {kind: $kind}]->(t)
  ON CREATE SET r.id = $id, r.strength = $strength, r.reason = $reason, r.by = $actor, r.at = $now
RETURN r.id AS id, r.kind AS kind, r.strength AS strength, CASE WHEN r.by = $actor OR (r.sourceThen IS NULL AND r.targetThen IS NULL) THEN r.reason END AS reason, s.id AS source, t.id AS target, r.at AS at
