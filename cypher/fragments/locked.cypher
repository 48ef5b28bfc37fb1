// locked(names, streams): the streams of events with these names, but for those of users who are erased, locked in the order of their names.
CALL (names) {
  UNWIND names AS name
  MATCH (:User {id: name})
  MERGE (s:Stream {name: name})
    ON CREATE SET s:System, s.seq = 0
  SET s.locked = true
  WITH s, EXISTS { (:User {id: s.name}) } AS known
  FOREACH (erased IN CASE WHEN known THEN [] ELSE [s] END | DETACH DELETE erased)
  WITH s WHERE known
  RETURN collect(s) AS streams
}
