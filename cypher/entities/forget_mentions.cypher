// Takes away what a note's old text mentioned, and entities that nothing mentions any more.
MATCH (n:Note {id: $id})-[m:MENTIONS]->(e:Entity)
WHERE NOT m.given
DELETE m
WITH DISTINCT e
WHERE NOT EXISTS { (e)<-[:MENTIONS]-(:Note) }
OPTIONAL MATCH (name:EntityName)-[:NAMES]->(e)
DETACH DELETE name, e
