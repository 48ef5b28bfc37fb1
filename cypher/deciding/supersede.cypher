// Records which note took the place of which.
UNWIND $rows AS row
MATCH (new:Note {id: row.by})
MATCH (old:Note {id: row.id})
MERGE (new)-[s:SUPERSEDES]->(old)
  ON CREATE SET s.at = $now, s.reason = row.reason
RETURN count(s) AS superseded
