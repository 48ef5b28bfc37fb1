// Removes the links that a reflection made.
MATCH (:Reflection {id: $id})-[:HAS_ITEM]->(i:ReflectionItem)
WHERE i.link IS NOT NULL
MATCH ()-[r:LINKS_TO {id: i.link}]->()
WHERE r.by = $actor
DELETE r
RETURN count(*) AS removed
