// Finds the entity that holds what a merge made one.
CALL () {
  MATCH (parent:Entity)-[:ABSORBED {id: $id, user: $user}]->(b:Entity)
  RETURN parent
  UNION
  MATCH (parent:Entity)-[r:HAD_ABSORBED {id: $id, user: $user}]->(b:Entity)
  RETURN parent
}
MATCH (root:Entity)-[:ABSORBED]->{0,20}(parent)
WHERE NOT EXISTS { (root)<-[:ABSORBED]-(:Entity) }
RETURN root.id AS id
LIMIT 1
