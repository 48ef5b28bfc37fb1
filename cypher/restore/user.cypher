// Keeps domains of a user out of promotion, in addition to those that are kept out already, and rejects nothing.
MATCH (u:User {id: $user})
SET u.touched = $now
REMOVE u.touched
SET u.promotionOptOuts = (coalesce(u.promotionOptOuts, []) + [x IN $optOuts WHERE NOT x IN coalesce(u.promotionOptOuts, [])])[..$most]
RETURN u.id AS place
