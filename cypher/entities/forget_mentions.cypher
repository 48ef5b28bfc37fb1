// Takes away what a note's old text mentioned and its old title named, and entities that nothing mentions any more, with those they absorbed.
MATCH (n:Note {id: $id})-[m:MENTIONS]->(e:Entity)
WHERE NOT m.given OR $titleKey IN m.keys
DELETE m
WITH DISTINCT e
WHERE NOT EXISTS { (e)<-[:MENTIONS]-(:Note) }
OPTIONAL MATCH (name:EntityName)-[:NAMES]->(e)
OPTIONAL MATCH (e)-[:ABSORBED]->{1,20}(part:Entity)
DETACH DELETE name, part, e
