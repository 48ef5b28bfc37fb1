// Reads the domains that a user keeps out of promotion.
MATCH (u:User {id: $user})
RETURN coalesce(u.promotionOptOuts, []) AS domains
