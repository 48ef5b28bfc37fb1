// Gives names the keys under which they are looked up loosely, and records the last one.
MERGE (m:Meta {name: 'names'})
  ON CREATE SET m:System
SET m.reached = $reached
WITH m
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
SET e.loose = row.loose
RETURN count(*) AS names
