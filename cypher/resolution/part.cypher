// Undoes a merge, or parts what a note says to be one: by its id. What $rules merged for some readers, the user in person parts for all, by $everywhere.
CALL () {
  MATCH (e:Entity)-[r:ABSORBED {id: $id}]->(part:Entity)
  WHERE e.user = $user
  RETURN e, r, part, r.by AS by, r.score AS score, r.audiences AS audiences
  UNION
  MATCH (e:Entity)-[r:ALSO_CALLED {id: $id}]->(part:Entity)
  WHERE e.user = $user AND NOT EXISTS { (e)-[:HAD_ABSORBED {id: $id}]->(part) }
  MATCH (n:Note {id: r.noteId})
  RETURN e, r, part, $by AS by, $score AS score, [n.audience] AS audiences
}
MERGE (e)-[past:HAD_ABSORBED {id: $id}]->(part)
  ON CREATE SET past.user = $user, past.at = r.at, past.by = by, past.score = score, past.audiences = CASE WHEN $everywhere AND by = $rules THEN null ELSE audiences END, past.undoneAt = $now, past.undoneBy = $actor
FOREACH (x IN CASE WHEN r:ABSORBED THEN [r] ELSE [] END | DELETE x)
WITH e, part
CALL (e, part) {
  MATCH (e)-[s:SAME_AS]-(part)
  WHERE $everywhere
  DELETE s
}
RETURN e.id AS id
