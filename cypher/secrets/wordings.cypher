// Reads the wordings of a note after one by id, for a search for secrets; a page by id.
MATCH (:Note {id: $id})-[:TOLD_AS]->(w:Wording)
WHERE w.id > $after
RETURN w.id AS id, w.content AS content, w.title AS title, w.speaker AS speaker, w.metadata AS metadata
ORDER BY id LIMIT $limit
