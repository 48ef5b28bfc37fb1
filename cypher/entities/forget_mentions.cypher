// Takes away what was found in a note's old text and the note did not introduce, and entities that nothing mentions any more.
MATCH (n:Note {id: $id})-[m:MENTIONS]->(e:Entity)
WHERE NOT m.given
DELETE m
WITH DISTINCT e
WHERE NOT EXISTS { (e)<-[:MENTIONS]-(:Note) }
DETACH DELETE e
