// Finds which entities entities have become, where these are not they themselves.
UNWIND $ids AS id
MATCH (e:Entity {id: id, user: $user})
MATCH (root:Entity)-[:ABSORBED]->{1,20}(e)
WHERE NOT EXISTS { (root)<-[:ABSORBED]-(:Entity) }
RETURN e.id AS id, root.id AS root
