// Reads all that readable notes hold, and what they mention and say of entities; without $whole only what they say by themselves.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE @readable(n)
RETURN n {.*, words: null, terms: null, vector: CASE WHEN $vectors THEN n.embedding END, embedding: null, embedding2: null, skill: n:Skill,
  mentions: COLLECT {
    MATCH (n)-[m:MENTIONS]->(e:Entity)
    WHERE m.given OR $whole
    WITH m, e ORDER BY e.key LIMIT 1000
    RETURN m {.*, key: e.key}
  },
  called: COLLECT {
    MATCH (n)-[:MENTIONS]->(e:Entity)-[r:ALSO_CALLED {noteId: n.id}]->(other:Entity)
    WITH DISTINCT e, r, other ORDER BY e.key, other.key LIMIT 2000
    RETURN r {.id, .at, .ofText, key: e.key, other: other.key}
  },
  relations: COLLECT {
    MATCH (s:Entity)-[r:RELATES_TO {noteId: n.id}]->(o:Entity)
    WHERE r.audience = n.audience
    WITH r, s, o ORDER BY s.key, r.predicate, o.key LIMIT 1000
    RETURN r {.predicate, .confidence, .validFrom, .validTo, .ofText, .createdAt, subject: s.key, object: o.key}
  }} AS note
