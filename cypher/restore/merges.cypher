// Makes names of a user one entity, or keeps that they were parted, unless that is there or the id is another's.
UNWIND $rows AS row
MATCH (e:Entity {user: $user, key: row.entity})
MATCH (p:Entity {user: $user, key: row.part})
WHERE e <> p
CALL (e, p, row) {
  WITH e, p, row
  WHERE row.undone AND NOT EXISTS { (e)-[:HAD_ABSORBED {id: row.properties.id}]->(p) }
  CREATE (e)-[r:HAD_ABSORBED]->(p)
  SET r = row.properties
  RETURN r
  UNION ALL
  WITH e, p, row
  WHERE NOT row.undone AND NOT EXISTS { ()-[:ABSORBED {id: row.properties.id}]->() } AND NOT EXISTS { (e)-[:ABSORBED]->(p) }
  CREATE (e)-[r:ABSORBED]->(p)
  SET r = row.properties
  RETURN r
}
RETURN r.id AS place
