// Marks an applied reflection as reverted; a row comes only if nobody has done so before.
MATCH (r:Reflection {id: $id, user: $user})
SET r.touched = $now
REMOVE r.touched
WITH r
WHERE r.status IN ['APPLIED', 'PARTIAL']
SET r.status = 'REVERTED', r.revertedAt = $now, r.revertedBy = $actor
RETURN r.id AS id
