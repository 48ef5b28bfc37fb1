// Reads which files of a user, by the keys of their external ids, have another version than the one that the user in person has confirmed, and than the one that the agent was told of, as far as the viewer may read them.
UNWIND $keys AS key
MATCH (n:Note {user: $user, externalKey: key}) USING INDEX SEEK n:Note(user, externalKey)
WHERE @readable(n)
OPTIONAL MATCH (:Agent {user: $user, id: $agent})-[t:TOLD_OF]->(n)
WITH n, coalesce(n.confirmedVersion, 1) AS confirmed, coalesce(t.version, 1) AS told
WITH n, CASE WHEN told > confirmed THEN told ELSE confirmed END AS since
WHERE n.version > since
RETURN n.id AS id, since
