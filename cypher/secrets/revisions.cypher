// Reads what a note said before, after one of its versions, for a search for secrets; a page by version.
MATCH (:Note {id: $id})-[:HAD]->(r:Revision)
WHERE r.version > $after
RETURN r.version AS version, r.content AS content, r.changes AS changes
ORDER BY version LIMIT $limit
