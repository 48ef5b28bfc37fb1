// Has this note ever been changed, and who changed it?
MATCH (:Note {id: $id, user: $user})-[:HAD]->(r:Revision)
RETURN r.version AS version, r.at AS at, r.actor AS actor, r.changes AS changes
ORDER BY version
