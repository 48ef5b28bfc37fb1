// Chooses again the notes of an audience that core memory shows.
MATCH (a:Audience {key: $audience})
CALL (a) {
  MATCH (a)-[t:TELLS]->(n:Note)
  WHERE NOT n.id IN $notes
  DELETE t
}
CALL (a) {
  UNWIND $notes AS id
  MATCH (n:Note {id: id, audience: $audience})
  MERGE (a)-[t:TELLS]->(n)
    ON CREATE SET t.at = $now
}
RETURN a.key AS audience
