// Adds the wordings of a user's notes that are not there.
UNWIND $rows AS row
MATCH (n:Note {id: row.note})
WHERE n.user = $user AND NOT EXISTS { (n)-[:TOLD_AS]->(:Wording {id: row.id}) }
CREATE (n)-[:TOLD_AS]->(w:Wording:System)
SET w = row.properties
RETURN w.id AS place
