// Takes away what was found in a note's old text and the note did not introduce, and entities that nothing mentions any more, with those they absorbed.
MATCH (n:Note {id: $id})-[m:MENTIONS]->(e:Entity)
WHERE NOT m.given
DELETE m
WITH DISTINCT e
WHERE NOT EXISTS { (e)<-[:MENTIONS]-(:Note) }
OPTIONAL MATCH (name:EntityName)-[:NAMES]->(e)
OPTIONAL MATCH (e)-[:ABSORBED]->{1,20}(part:Entity)
DETACH DELETE name, part, e
