// Reads, for a page of users by id after one, the files whose text is not that of their newest revision: somebody changed them in the database itself.
MATCH (u:User)
WHERE u.id > $after
WITH u ORDER BY u.id LIMIT $limit
RETURN u.id AS user, COLLECT {
  UNWIND $keys AS key
  MATCH (n:Note {user: u.id, externalKey: key}) USING INDEX SEEK n:Note(user, externalKey)
  WHERE n.expiresAt > $now AND EXISTS { (n)-[:HAD]->(r:Revision {version: n.version}) WHERE r.content <> n.content }
  RETURN n.id
} AS notes
ORDER BY user
