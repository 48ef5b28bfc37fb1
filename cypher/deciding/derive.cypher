// Records which notes became part of which.
UNWIND $rows AS row
MATCH (kept:Note {id: row.kept})
MATCH (part:Note {id: row.part})
MERGE (kept)-[d:DERIVED_FROM]->(part)
  ON CREATE SET d.at = $now
RETURN count(d) AS derived
