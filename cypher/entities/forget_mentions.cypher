// Takes away what a note's old text mentioned and its old title named, and entities that nothing mentions any more.
MATCH (n:Note {id: $id})-[m:MENTIONS]->(e:Entity)
WHERE NOT m.given OR $titleKey IN m.keys
DELETE m
WITH DISTINCT e
WHERE NOT EXISTS { (e)<-[:MENTIONS]-(:Note) }
OPTIONAL MATCH (name:EntityName)-[:NAMES]->(e)
DETACH DELETE name, e
