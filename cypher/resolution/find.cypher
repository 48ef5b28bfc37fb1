// Finds the entity that a merge kept, or that a note gave another name.
CALL () {
  MATCH (e:Entity)-[:ABSORBED {id: $id}]->(:Entity)
  RETURN e
  UNION
  MATCH (e:Entity)-[:HAD_ABSORBED {id: $id}]->(:Entity)
  RETURN e
  UNION
  MATCH (e:Entity)-[:ALSO_CALLED {id: $id}]->(:Entity)
  RETURN e
}
WITH e WHERE e.user = $user
RETURN e.id AS id
LIMIT 1
