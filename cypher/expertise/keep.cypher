// Ties a note to the one of a consultation that it was made of; a row comes only while that one has the readers and the version that were read.
MATCH (:Recall {id: $recall})-[:CONSULTED]->(source:Note {id: $source})
WHERE source.audience = $audience AND source.version = $version
MATCH (kept:Note {id: $kept})
SET kept.foundElsewhere = true
MERGE (kept)-[d:DERIVED_FROM]->(source)
  ON CREATE SET d.at = $now
RETURN kept.id AS id
