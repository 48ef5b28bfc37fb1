// Keeps with accepted items what the notes are that they archive.
UNWIND $rows AS row
MATCH (i:ReflectionItem {id: row.item})
MATCH (n:Note {id: row.note})
CREATE (i)-[:CHANGED {status: n.status, curatedKey: n.curatedKey, version: n.version + 1}]->(n)
RETURN count(*) AS archived
