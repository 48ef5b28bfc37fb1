// Keeps a new reflection with its items, each about notes as they were then.
CREATE (r:Reflection)
SET r = $properties
WITH r
UNWIND $items AS row
CREATE (r)-[:HAS_ITEM {place: row.place}]->(i:ReflectionItem)
SET i = row.properties
WITH i, row
UNWIND row.notes AS about
MATCH (n:Note {id: about.id})
CREATE (i)-[:ABOUT {place: about.place, version: about.version}]->(n)
