// Refines what was made of a note's text, if the note is as it was read; the text stays. The note's own lock comes first.
MATCH (n:Note {id: $id})
SET n.touched = $now
REMOVE n.touched
WITH n
WHERE n.version = $version AND n.audience = $audience AND n.status IN $statuses AND n.expiresAt > $now
SET n += $given, n.version = n.version + 1, n.updatedAt = $now
CREATE (n)-[:HAD]->(:Revision {version: n.version, at: $now, actor: $actor, content: n.content, changes: $changes})
RETURN n.version AS version
