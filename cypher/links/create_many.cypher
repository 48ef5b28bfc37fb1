// Links pairs of notes, one link for each pair and kind.
UNWIND $rows AS row
MATCH (s:Note {id: row.source}), (t:Note {id: row.target})
MERGE (s)-[r:LINKS_TO {kind: row.kind}]->(t)
  ON CREATE SET r.id = row.id, r.strength = row.strength, r.reason = row.reason, r.by = $actor, r.at = $now
RETURN count(r) AS links
