// Adds the revisions of a user's notes that are not there, up to the version that a note has.
UNWIND $rows AS row
MATCH (n:Note {id: row.note})
WHERE n.user = $user AND row.version <= n.version AND NOT EXISTS { (n)-[:HAD]->(:Revision {version: row.version}) }
CREATE (n)-[:HAD]->(r:Revision:System)
SET r = row.properties
RETURN n.id + '|' + toString(row.version) AS place
