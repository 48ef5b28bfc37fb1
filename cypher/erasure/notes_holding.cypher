// Looks through a page of a user's notes, after one by id, for those that hold one of some words, or held it in an earlier text or in the words in which they were written.
MATCH (n:Note {user: $user})
USING INDEX SEEK n:Note(user, status)
WHERE n.status IS NOT NULL AND n.id > $after
WITH n ORDER BY n.id LIMIT $limit
RETURN n.id AS id, @holds(n) OR EXISTS { (n)-[:HAD]->(r:Revision) WHERE @holds(r) } OR EXISTS { (n)-[:TOLD_AS]->(w:Wording) WHERE @holds(w) } AS holds
ORDER BY id
