// Reads which names a user, or who acted for the user, made one entity or parted again, from a place on (keyset).
MATCH (e:Entity {user: $user})-[r:ABSORBED|HAD_ABSORBED]->(p:Entity)
WHERE r.id > $after
WITH r, e, p ORDER BY r.id LIMIT $limit
RETURN r.id AS place, r {.*, entity: e.key, part: p.key} AS row
