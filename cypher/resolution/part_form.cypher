// Parts two entities whose names are one by form, for who may read notes that introduced both before.
MATCH (e:Entity {id: $whole})
WHERE e.user = $user
MATCH (part:Entity {id: $part})
WHERE part.user = $user
MERGE (e)-[past:HAD_ABSORBED {id: $id}]->(part)
  ON CREATE SET past.user = $user, past.at = $now, past.by = $by, past.score = $score, past.undoneAt = $now, past.undoneBy = $actor
RETURN e.id AS id
