// Lists the notes of a user, after one by id, that hold one of some words, or held it in an earlier text or in the words in which they were written; a page by id.
CALL () {
  MATCH (n:Note {user: $user}) USING INDEX SEEK n:Note(user, status) WHERE n.status IS NOT NULL AND n.id > $after RETURN n, n AS x
  UNION ALL
  MATCH (n:Note {user: $user})-[:HAD]->(x:Revision) USING INDEX SEEK n:Note(user, status) WHERE n.status IS NOT NULL AND n.id > $after RETURN n, x
  UNION ALL
  MATCH (n:Note {user: $user})-[:TOLD_AS]->(x:Wording) USING INDEX SEEK n:Note(user, status) WHERE n.status IS NOT NULL AND n.id > $after RETURN n, x
}
WITH n, x
WHERE @holds(x)
RETURN DISTINCT n.id AS id ORDER BY id LIMIT $limit
